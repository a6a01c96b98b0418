"""The frame of every page: how a run begins and ends, heading, badge, rail, links to the neighbouring stages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import Page

from dashboard.components.address_bar import write_address
from dashboard.models import model
from dashboard.models.model import Model
from dashboard.navigation import ensure_entrypoint
from dashboard.page_list import STAGES, Lab, Stage
from dashboard.selection import focus
from dashboard.selection.inspected_cell import drop_unseen_cell
from dashboard.state.session import script_of_the_page, session
from encoder_core.figures import format_number

_COLOURS = {"query": "blue", "key": "red", "value": "green", "attention": "violet", None: "gray"}


@dataclass(frozen=True)
class Shape:
    """A tensor that goes in or comes out, for the badges of the heading: name, axes, identity colour."""

    name: str
    sizes: tuple[int, ...]
    identity: str | None = None


def begin() -> Model:
    """Every page's first line: make sure that the frame is around it, and return the model in use."""
    ensure_entrypoint()
    current = model.current()
    if session().page != focus.RECIPES_PAGE:
        focus.settle(current)
    return current


def interactive(body: Callable[[], None]) -> None:
    """Every page's last line: run the part that a click or a picker on the page repaints by itself.

    What was changed may concern more than this part: a text that was typed just before a click, say. Then the whole
    page is run again. The messages about the link and the URL are written here, to be up to date after every run.
    """
    drawn_with = model.identity()

    @st.fragment
    def fragment() -> None:
        if model.identity() != drawn_with:
            drop_unseen_cell()
            st.rerun()
        messages = st.container()
        with script_of_the_page():
            body()
        with messages:
            for problem in session().problems.values():
                st.warning(problem, icon=":material/info:")
        write_address()

    fragment()


def rail() -> DeltaGenerator:
    """The place above the page for one line with all stages: `links` fills it."""
    return st.container(horizontal=True, wrap=False, gap=None, key="rail")


def links(pages: Mapping[str, Page]) -> None:
    """A link to every stage."""
    for stage in STAGES:
        st.page_link(pages[stage.name], label=f"{stage.number}\u2002{stage.short}")


def back_and_on(pages: Mapping[str, Page], active: Stage) -> None:
    """Links to the stages before and after."""
    with st.container(horizontal=True, horizontal_alignment="distribute", key="back-and-on"):
        if active.number > 0:
            before = STAGES[active.number - 1]
            st.page_link(pages[before.name], label=f"{before.number} {before.title}", icon=":material/arrow_back:")
        if active.number + 1 < len(STAGES):
            after = STAGES[active.number + 1]
            with st.container(width="content", key="onwards"):
                st.page_link(pages[after.name], label=f"{after.number} {after.title}", icon=":material/arrow_forward:")


def heading(stage: Stage | Lab, sentence: str, inputs: Sequence[Shape], outputs: Sequence[Shape]) -> None:
    """The stage's name, one sentence, and what goes in and comes out with its shape."""
    with st.container(key="heading", gap="xsmall"):
        st.title(stage.title, anchor=False)
        st.markdown(sentence)
        st.markdown(f"{_badges(inputs)} → {_badges(outputs)}")


def recomputed(difference: float) -> None:
    """The badge: what is shown was computed again from what is shown, and this is the largest difference."""
    colour, icon = ("green", "check") if difference < 1e-5 else ("orange", "warning")
    st.markdown(
        f":{colour}-badge[:material/{icon}: recomputed, max Δ {format_number(difference, 1)}]",
        help="This stage's result, computed again in 64-bit NumPy from the tensors shown: the largest difference to "
        "what is shown, as a fraction of the largest value.",
        width="content",
    )


def _badges(shapes: Sequence[Shape]) -> str:
    return " ".join(
        f":{_COLOURS[shape.identity]}-badge[{shape.name}\u2002{' × '.join(map(str, shape.sizes))}]" for shape in shapes
    )
