"""A bare Streamlit page for comparison: a slider, and as many other elements as a page of the walkthrough has.

streamlit run bare_page.py -- ELEMENTS
"""

import sys

import streamlit as st

st.set_page_config(layout="wide")
value = st.sidebar.select_slider("d_model", range(4, 257, 4), 64, key="d_model")
for number in range(int(sys.argv[1]) - 1):
    st.markdown(f"Element {number} at d_model = {value}")
