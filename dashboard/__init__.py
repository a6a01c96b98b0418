"""The Streamlit app: state in the URL, the model in use, components, and the parts that all pages share."""
