"""The app as `make run` serves it, but for the limits of what a browser sends: tests act faster than people."""

import streamlit as st

from dashboard.server import MIDDLEWARE, SCRIPT
from dashboard.serving.limits.gate import Gate

app = st.App(SCRIPT, middleware=[middleware for middleware in MIDDLEWARE if middleware.cls is not Gate])
