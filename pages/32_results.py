"""Results: the user's predictions and answers."""

import streamlit as st

from dashboard.lessons.results import render_answers, render_files, render_summary
from dashboard.page_list import page_named
from dashboard.shell import frame
from dashboard.state.answers import answers

frame.begin_page()
frame.render_heading(
    page_named("results"),
    "Your answers to the questions of the pages, and your predictions in the experiments. This browser keeps them for "
    "a day, also for links that you open in other tabs; the server forgets them when you leave.",
)


def body() -> None:
    given = answers()
    if not given:
        st.info("There are no answers yet. Most pages ask you to predict something, and each "
                "experiment asks before it shows its result.")  # fmt: skip
        return
    render_summary(given)
    render_files(given)
    render_answers(given)


frame.run_as_fragment(body)
