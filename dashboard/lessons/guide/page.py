"""Sections of the guide: overview, hints, and a step with its links, its question and its answer."""

from collections.abc import Sequence

import streamlit as st

from dashboard.inspect.predict_first import ask_again
from dashboard.lessons.guide.plan import STEPS, TAKE_AWAY
from dashboard.lessons.guide.step import EncoderNotLoaded, PlanStep, PlanView, Version
from dashboard.lessons.guide.text import TextOfVersion, misunderstandings, overview, text_of, time_span
from dashboard.models.story import story_encoder
from dashboard.navigation import open_view
from dashboard.shell.glossary_dialog import render_glossary_button
from dashboard.state.choices import GUIDE_VERSION, PREDICT, PREDICT_FIRST, PRESENT
from dashboard.state.link import app_address
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from encoder_core.pretrained import on_this_machine


def render_overview(version: Version, steps: Sequence[tuple[int, PlanStep]]) -> None:
    """A table of the steps with their times; each title leads to its section."""
    st.markdown(overview(version, steps, lambda number, _: f"#step-{number}"))


def render_hints(version: Version) -> None:
    """How to use the plan, what to prepare, and the terms that the pages explain."""
    text = text_of(version)
    if text.before:
        st.markdown(f"**Before you begin.**\n\n{text.before}")
    st.markdown(text.hints)
    render_glossary_button()


def render_minilm_note() -> None:
    """What to do before the workshop, if the encoder minilm is not on this server."""
    if MINILM not in OFFERED:
        st.warning(f"This server does not offer {MINILM}. The steps that open it cannot show what their text says.",
                   icon=":material/info:")  # fmt: skip
    elif not on_this_machine(OFFERED[MINILM]):
        st.info(f"Most steps use {MINILM}, which is not on this server yet. It is downloaded when somebody first opens "
                "such a step: do so before you begin.", icon=":material/download:")  # fmt: skip


def render_step(version: Version, number: int, begin: int, step: PlanStep) -> None:
    """A step: time and title, what to do, the question, the links, the answer on request, and misunderstandings."""
    text, place = text_of(version), STEPS.index(step)  # a version without some steps has other numbers
    with st.container(border=True, gap="small", key=f"guide_step_{place}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.header(f"{number}\u2002{step.title}", anchor=f"step-{number}", width="content")
            st.markdown(f":gray-badge[:material/schedule: {time_span(version, begin, step)}]", width="content")
        st.markdown(f"**{text.question}** — {step.question}\n\n**{text.task}** — {step.task}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            for order, view in enumerate(step.views):
                _render_link(version, view, f"{place}_{order}", is_first=order == 0)
        answer = st.expander(text.answer, icon=":material/lightbulb:", key=f"guide_answer_{place}", on_change="rerun")
        if answer.open:
            with answer:
                _render_answer(step)
                if not version.for_group:
                    _render_misunderstandings(text, step)
        if version.for_group:
            _render_misunderstandings(text, step)
            if step.room:
                st.markdown(f"**{text.room}** — {step.room}")


def render_end(version: Version) -> None:
    """What to do after the last step, with a link to the files of the encoder that most steps use."""
    with st.container(border=True, gap="small", key="guide_end"):
        st.header("At the end", anchor=False)
        st.markdown(text_of(version).end)
        if MINILM in OFFERED:
            _render_link(version, TAKE_AWAY, "end", is_first=True)


def _render_link(version: Version, view: PlanView, key: str, is_first: bool) -> None:
    """A button that opens the view in this tab, and a link that opens it in a new one."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
        st.button(view.label, key=f"guide_open_{key}", icon=":material/arrow_forward:", on_click=_open,
                  args=(version, view), type="primary" if is_first else "secondary")  # fmt: skip
        st.link_button("New tab", f"{app_address()}{view.address}", icon=":material/open_in_new:", type="tertiary",
                       key=f"guide_tab_{key}")  # fmt: skip


def _open(version: Version, view: PlanView) -> None:
    """Open the view. The version stays chosen, for the way back through the menu, and a presentation goes on.

    A view that hides its figure does so again, although the figure was revealed before in this session.
    """
    kept = [(GUIDE_VERSION, version.name), (PRESENT, session().get(PRESENT))]
    if view.link.get(PREDICT.name) == PREDICT_FIRST:
        ask_again(view.name)
    parameters = [f"{parameter.name}={parameter.format(value)}" for parameter, value in kept
                  if value != parameter.default]  # fmt: skip
    open_view(view.name, "&".join([view.query, *parameters]))


def _render_answer(step: PlanStep) -> None:
    """The answer with its numbers, or why they cannot be computed."""
    try:
        if step.needs_minilm and story_encoder() != MINILM:  # asks first, so that no download begins
            raise EncoderNotLoaded
        with st.spinner("The numbers of this answer are being computed."):
            st.markdown(_measured_answer(STEPS.index(step)))
    except EncoderNotLoaded:
        st.info("The numbers of this answer need an encoder that this server has not loaded. Open the step first: it "
                "loads the encoder, or says why it cannot.", icon=":material/info:")  # fmt: skip


def _render_misunderstandings(text: TextOfVersion, step: PlanStep) -> None:
    st.markdown(f"**{text.misunderstandings}**\n\n{misunderstandings(step)}")


@st.cache_resource(max_entries=len(STEPS), show_spinner=False)
def _measured_answer(place: int) -> str:
    return STEPS[place].measured_answer()
