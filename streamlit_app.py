"""The Encoder Walkthrough: `streamlit run streamlit_app.py`."""

import streamlit as st

from dashboard import frame, sidebar, warmup
from dashboard.navigation import navigate
from dashboard.stages import STAGES

st.set_page_config(page_title="Encoder Walkthrough", page_icon="static/favicon.svg", layout="wide")
st.session_state["framed"] = True
warmup.start()

page, pages = navigate()
active = next(stage for stage in STAGES if pages[stage.name] == page)
frame.style(active)

settings = sidebar.show()
frame.rail(pages)
for notice in sidebar.notices(settings):
    st.warning(notice, icon=":material/info:")
st.session_state["arriving"] = st.session_state.get("page_before") != active.name
st.session_state["page_before"] = active.name
page.run()
st.session_state["arriving"] = False
frame.back_and_on(pages, active)
