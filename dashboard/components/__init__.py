"""What Streamlit does not have: the plot, the derivation, the map's diagram, the strip of tokens, the address bar."""
