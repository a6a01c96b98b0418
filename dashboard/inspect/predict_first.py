"""The question of a page: below the figure, or before it in the mode "Predict first".

In this mode, what follows the question keeps its place but is invisible until the user answers or asks for the answer
(see hidden_figure.css). It is rendered all the same, so that it appears at once and nothing on the page moves.

`ask_again` hides the figures of a page again, also those whose questions were answered.
"""

from pathlib import Path

import streamlit as st

from dashboard.inspect.questions import Question
from dashboard.state.answers import last_answer, record_answer
from dashboard.state.choices import PREDICT, PREDICT_FIRST
from dashboard.state.session import session
from dashboard.state.widgets import bind_value, set_widget_value, widget_value

OPTION_WIDTH = 480  # pixels of a button that is one of several answers below each other; at most the page's
_HIDING_RULES = Path(__file__).with_name("hidden_figure.css")
_REVEALED = "revealed figures"  # in `Session.memo`: (page, topic) -> key of the question whose answer was shown, or ""
_ASKED_AGAIN = "pages that ask again"  # in `Session.memo`: page -> keys of its questions that were answered since then


def asks_first() -> bool:
    """Whether the mode "Predict first" is on."""
    return session().get(PREDICT) == PREDICT_FIRST


def ask_again(page: str) -> None:
    """Hide the figures of a page until their questions are answered once more. Call it from a callback."""
    for place in [place for place in _revealed() if place[0] == page]:
        del _revealed()[place]
    _asked_again()[page] = set()


def ask_first(question: Question, topic: str = "") -> None:
    """Render the question if the mode is on, and hide what the page renders after it until there is an answer.

    topic  distinguishes the figures of a page, such as the views of the stack: each is revealed once in a session, also
           if the user then selects another token, which changes the question
    """
    if not asks_first():
        return
    place = (session().page or "", topic)
    with st.container(border=True, key="ask_first", gap="small"):
        st.markdown(f"**Predict** — {question.text}")
        _render_options(question, horizontal=True)
        is_answered = _reveal_if_answered(question, place)
        hides = not is_answered and place not in _revealed()
        if hides:
            st.html(f"<style>{_HIDING_RULES.read_text(encoding='utf-8')}</style>")
        key = "figure_is_hidden" if hides else "figure_is_shown"
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
            if is_answered:
                _render_feedback(question)
            else:
                _render_show_button(question, place)
                if hides:
                    st.caption("The figure and the numbers appear after your answer.", width="content")
                st.space("stretch")
            _render_toggle()


def ask_below(question: Question) -> None:
    """Render the question below its figure if the mode is off."""
    if asks_first():
        return
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**Predict** — {question.text}")
        _render_options(question, horizontal=False)
        if _answer_to(question) is not None:
            _render_feedback(question)
        _render_toggle()


def _render_toggle() -> None:
    bound = bind_value(PREDICT.name, asks_first(), _set_mode)
    st.toggle("Predict first", **bound, help="Hides the figure and its numbers until you answer.")


def _render_options(question: Question, *, horizontal: bool) -> None:
    chosen = _answer_to(question)
    # Another question has another key, so that it does not show the answer to this one.
    key = f"predict {question.key}"
    if chosen is not None and widget_value(key) is None:  # those of the browser come after the first run
        set_widget_value(key, chosen)
    st.radio("Your answer", question.options, index=None, label_visibility="collapsed", horizontal=horizontal, key=key,
             on_change=_answer, args=(key, question))  # fmt: skip


def _render_feedback(question: Question) -> None:
    """Render whether the last answer is right and, if it is wrong, its misconception."""
    chosen = _answer_to(question)
    if chosen == question.right:
        st.success(f"Yes. {question.why}", icon=":material/check:")
        return
    right = question.right if question.right.startswith("“") else f"“{question.right}”"
    text = f"The answer is {right}. {question.why}"
    if chosen is not None:  # the explanation is about the chosen option, so it precedes the right one
        text = f"No. {question.explain(chosen)}  \n{text}"
    st.info(text, icon=":material/lightbulb:")


def _render_show_button(question: Question, place: tuple[str, str]) -> None:
    st.button("Show the answer", icon=":material/visibility:", key="show_answer", on_click=_show_answer,
              args=(question, place))  # fmt: skip


def _revealed() -> dict[tuple[str, str], str]:
    revealed: dict[tuple[str, str], str] = session().memo.setdefault(_REVEALED, {})
    return revealed


def _asked_again() -> dict[str, set[str]]:
    asked: dict[str, set[str]] = session().memo.setdefault(_ASKED_AGAIN, {})
    return asked


def _answer_to(question: Question) -> str | None:
    """The last answer to a question of the current page, without those from before the page was to ask again."""
    answered_since = _asked_again().get(session().page or "")
    if answered_since is not None and question.key not in answered_since:
        return None
    return last_answer(question.text, question.options, question.right)


def _reveal_if_answered(question: Question, place: tuple[str, str]) -> bool:
    """Reveal the figure if the user has answered this question, or asked for its answer; whether that is so."""
    if _answer_to(question) is not None:
        _revealed().setdefault(place, "")
        return True
    return _revealed().get(place) == question.key


def _answer(key: str, question: Question) -> None:
    """Keep the answer for this session and the page Results."""
    chosen = widget_value(key)
    if chosen is not None:
        record_answer(question.text, question.options, chosen, question.right, question.why, question.explain(chosen))
        _asked_again().get(session().page or "", set()).add(question.key)


def _show_answer(question: Question, place: tuple[str, str]) -> None:
    _revealed()[place] = question.key


def _set_mode(first: bool) -> None:
    """Set the mode; switching it on hides the figures again whose questions are not answered."""
    if first:
        _revealed().clear()
    session().set(PREDICT, PREDICT_FIRST if first else PREDICT.default)
