"""Guide: the plan of a workshop, with a link, a question and an answer for each step."""

import streamlit as st

from dashboard.lessons.guide.page import render_end, render_hints, render_minilm_note, render_overview, render_step
from dashboard.lessons.guide.plan import VERSIONS, steps_of, title_of
from dashboard.navigation import ensure_entrypoint
from dashboard.page_list import page_named
from dashboard.selection.view_choice import render_choice
from dashboard.shell import frame
from dashboard.state.choices import GUIDE_VERSION

ensure_entrypoint()  # instead of `frame.begin_page`: the model of the sidebar is not on this page
frame.render_heading(
    page_named("guide"),
    "A plan for a workshop, or for learning alone. Each step opens the app in the state that it needs. The answers "
    "stay hidden until you open them; their numbers are computed then.",
)


def body() -> None:
    name = render_choice("Version", list(VERSIONS), GUIDE_VERSION, default=next(iter(VERSIONS)), hide_label=True,
                         format_func=title_of)  # fmt: skip
    version, steps = VERSIONS[name], steps_of(name)
    left, right = st.columns([2, 3], gap="large")
    with left:
        render_overview(version, steps)
    with right:
        render_hints(version)
        render_minilm_note()
    for number, (begin, step) in enumerate(steps, 1):
        render_step(version, number, begin, step)
    render_end(version)


frame.run_as_fragment(body)
