"""The answers of the session: how many are right, each answer with its question, and the files."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from dashboard.markdown import capitalize
from dashboard.navigation import open_view
from dashboard.page_list import page_named
from dashboard.state.answers import Answer, clear_answers, to_csv, to_json


def render_summary(given: Sequence[Answer]) -> None:
    """How many questions were answered, and how many of them rightly at the first attempt."""
    first = [answer for answer in given if answer.attempt == 1]
    right = sum(answer.is_correct for answer in first)
    questions = "question" if len(first) == 1 else "questions"
    st.markdown(f"**{right} of {len(first)}** {questions} answered correctly at the first attempt.")


def render_files(given: tuple[Answer, ...]) -> None:
    """The buttons that download the answers or clear them."""
    files = (
        ("JSON", "answers.json", "application/json", lambda: to_json(given)),
        ("CSV", "answers.csv", "text/csv", lambda: to_csv(given)),
    )
    with st.container(horizontal=True):
        for label, name, mime, make in files:
            st.download_button(label, make, name, mime, key=f"download {name}", on_click="ignore",
                               icon=":material/download:")  # fmt: skip
        st.button("Clear all answers", icon=":material/delete:", type="tertiary", key="clear_answers",
                  on_click=clear_answers)  # fmt: skip


def render_answers(given: Sequence[Answer]) -> None:
    """Every answer, grouped by page; the latest page first."""
    numbered = list(enumerate(given))
    for page, group in groupby(reversed(numbered), key=lambda entry: entry[1].page):
        st.header(page_named(page).title, anchor=False)
        for number, answer in group:
            _render_answer(number, answer)


def _render_answer(number: int, answer: Answer) -> None:
    icon, colour = (":material/check_circle:", "green") if answer.is_correct else (":material/cancel:", "red")
    again = f" (attempt {answer.attempt})" if answer.attempt > 1 else ""
    # The misconception is about the chosen option, so it precedes the right one.
    verdict = ": correct" if answer.is_correct else f". {answer.misconception} The answer is “{answer.correct}”"
    with st.container(border=True, gap="xsmall"):
        st.markdown(
            f"{capitalize(answer.question)}  \n"
            f":{colour}[{icon}] You answered “{answer.chosen}”{again}{verdict}. {answer.explanation}"
        )
        st.button("Open this view", icon=":material/arrow_forward:", type="tertiary", key=f"open answer {number}",
                  on_click=open_view, args=(answer.page, answer.query))  # fmt: skip
