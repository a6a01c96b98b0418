"""Render the transitions: the heading of a stage with its whys, and the sentence above the links to the neighbours."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from dashboard.glossary import explain_terms
from dashboard.lessons.transitions import attention, inputs, layer
from dashboard.lessons.transitions.ending import endings, introduction
from dashboard.lessons.transitions.transition import Demonstration, Transition, Why
from dashboard.models.model import Model
from dashboard.navigation import open_page
from dashboard.page_list import Stage, stage_named
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.session import session

TRANSITIONS: dict[str, Callable[[Model], Transition]] = {
    "map": inputs.encoder_map,
    "embedding": inputs.embedding,
    "positions": inputs.positions,
    "qkv": attention.qkv,
    "scaled_scores": attention.scaled_scores,
    "softmax": attention.softmax,
    "weighted_values": attention.weighted_values,
    "multi_head": attention.multi_head,
    "add_and_norm": layer.add_and_norm,
    "feed_forward": layer.feed_forward,
    "full_stack": layer.full_stack,
}


def render_opening(name: str, model: Model, given: Sequence[Shape], results: Sequence[Shape], note: str = "") -> None:
    """Render the heading of a stage: title, opening, tensors with their shapes, and the button with the whys.

    note  a sentence after the opening
    """
    transition = TRANSITIONS[name](model)
    aside = partial(_render_whys, name, transition) if transition.whys else None
    frame.render_heading(stage_named(name), transition.opening + note, given, results, aside=aside)


def render_closing(stage: Stage, model: Model) -> None:
    """Render what the next stage needs from this one; after the last stage, the end of the walkthrough."""
    closing = TRANSITIONS[stage.name](model).closing
    if closing:
        st.markdown(f":material/arrow_forward: {closing}")
    else:
        _render_ending(model)


def render_demonstration(demonstration: Demonstration, key: str) -> None:
    """Render the button that opens a demonstration."""
    st.button(demonstration.label, key=key, icon=":material/arrow_forward:", on_click=_open, args=(demonstration,))


def _render_ending(model: Model) -> None:
    st.header("Where this leads", anchor=False)
    st.markdown(introduction(model))
    sections = endings(model)
    for number, (column, section) in enumerate(zip(st.columns(len(sections), gap="large"), sections, strict=True)):
        with column:
            st.markdown(f"**{section.title}**  \n{section.text}")
            render_demonstration(section.demonstration, key=f"ending {number}")


def _render_whys(name: str, transition: Transition) -> None:
    with st.popover(transition.why_label, icon=":material/help:", type="tertiary"):
        for number, why in enumerate(transition.whys):
            _render_why(why, key=f"why {name} {number}")


def _render_why(why: Why, key: str) -> None:
    st.markdown(explain_terms(f"**{why.question}** {why.answer}"))
    render_demonstration(why.demonstration, key)


def _open(demonstration: Demonstration) -> None:
    for parameter, value in demonstration.changes:
        session().set(parameter, value)
    if demonstration.page != session().page:
        open_page(demonstration.page)
