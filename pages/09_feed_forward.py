import streamlit as st; st.write("to do")
