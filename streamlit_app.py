"""The Encoder Walkthrough: `streamlit run streamlit_app.py`."""

import streamlit as st

from dashboard import choice, frame, leap, model, sidebar, warmup
from dashboard.navigation import navigate
from dashboard.stages import PAGES, Stage
from dashboard.trained.notice import while_waiting
from dashboard.what_if.bar import bar

st.set_page_config(page_title="Encoder Walkthrough", page_icon="static/favicon.svg", layout="wide")
st.session_state["framed"] = True
warmup.start()

page, pages = navigate()
active = next(entry for entry in PAGES if pages[entry.name] == page)
frame.style(active)

st.session_state["arriving"] = st.session_state.get("page_before") != active.name
st.session_state["page_before"] = active.name
if st.session_state["arriving"]:
    choice.leave()
rail, above, stage = frame.rail(), st.container(), st.container()


def around_the_page() -> None:
    """The sidebar and the rail, and what the person should know about their text or their link."""
    settings = sidebar.show()
    with rail:
        frame.links(pages)
    with above:
        while_waiting(settings, drawn)
        bar(model.current())
        for problem in model.left_out():
            st.warning(problem, icon=":material/info:")
        for notice in sidebar.notices(settings):
            st.warning(notice, icon=":material/info:")
        for quirk in sidebar.quirks(settings, active.name):
            st.caption(f":orange[:material/menu_book: {quirk}]")


# A move of a slider is answered by the page first: its picture is what one looks at. Only when a session begins must
# the sidebar say what is in the link before.
beginning = "encoder" not in st.session_state
drawn = None if beginning else model.current().settings.encoder
if beginning:
    around_the_page()
# A fragment that runs by itself, after a click say, has less to send and does not wait between its parts.
st.session_state["answering"] = not st.session_state["arriving"]
try:
    with stage:
        page.run()
finally:
    st.session_state["answering"] = False
    if not beginning:
        around_the_page()
st.session_state["arriving"] = False
if isinstance(active, Stage):
    frame.back_and_on(pages, active)
leap.take()
