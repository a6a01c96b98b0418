"""Components that Streamlit does not have: plot, derivation, diagram of the map, token strip, address bar."""
