"""The Encoder Walkthrough: `streamlit run streamlit_app.py`."""

import streamlit as st

from dashboard import sidebar
from dashboard.inspect.edit_bar import bar
from dashboard.models import model, warm_up
from dashboard.models.loading_notice import while_waiting
from dashboard.navigation import navigate
from dashboard.page_list import Stage
from dashboard.shell import frame
from dashboard.state.session import begin_run, script_of_the_page
from dashboard.theme import style_sheet

st.set_page_config(page_title="Encoder Walkthrough", page_icon="static/favicon.svg", layout="wide")
warm_up.start()

page, pages, active = navigate()
current = begin_run(active.name)
beginning, arriving, current.framed = not current.framed, current.arriving, True
style_sheet(active)

rail, above, stage = frame.rail(), st.container(), st.container()


def around_the_page() -> None:
    """The sidebar and the rail, and what the user should know about their text."""
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


# A move of a slider is answered by the page first: its picture is what one looks at. Only when a session begins, the
# sidebar comes first, so that the page does not move aside for it.
drawn = None if beginning else model.current().settings.encoder
if beginning:
    around_the_page()
current.answering = not arriving
try:
    with stage, script_of_the_page():
        page.run()
finally:
    current.answering = False
    if not beginning:
        around_the_page()
if isinstance(active, Stage):
    frame.back_and_on(pages, active)
