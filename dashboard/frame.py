"""The frame of every stage page: rail, heading, the four depths (picture, numbers, formula, code), and the question."""

import inspect
import textwrap
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import Page

from dashboard import focus, model
from dashboard.appearance import plain as plain
from dashboard.appearance import theme as theme
from dashboard.cells import Looked, drop_unseen_cell
from dashboard.derivation import derivation
from dashboard.model import Model
from dashboard.navigation import ensure_entrypoint
from dashboard.stages import STAGES, Lab, Stage
from dashboard.state.address import write_address
from dashboard.state.choices import DETAILS, NUMBERS
from dashboard.state.session import script_of_the_page, session
from dashboard.state.widgets import shows
from dashboard.what_if.changes import changes
from dashboard.what_if.panel import panel
from encoder_core.figures import format_number, theme_named
from encoder_core.figures.base import shorten

# After a move in the sidebar the picture goes ahead of what stands below it: of both together, a browser lays out all
# before it paints.
_AHEAD = 0.16  # seconds; the shorter, the more often a browser takes both in one piece
CELL = "the cell"
_STYLE = Path(__file__).parent / "style.css"
_COLOURS = {"query": "blue", "key": "red", "value": "green", "attention": "violet", None: "gray"}


@dataclass(frozen=True)
class Shape:
    """A tensor that goes in or comes out, for the badges of the heading: name, axes, identity colour."""

    name: str
    sizes: tuple[int, ...]
    identity: str | None = None


@dataclass(frozen=True)
class Table:
    """A tensor as a table: values, with the names of its rows and columns.

    first  the number before the name of the first row, such as 1 for tokens; None where the names are numbers already
    """

    values: Float[np.ndarray, "row column"]
    rows: Sequence[str]
    columns: Sequence[str]
    first: int | None = 1


@dataclass(frozen=True)
class Question:
    """What to predict before looking: the options, the right one's index, and why it is right."""

    text: str
    options: Sequence[str]
    answer: int
    why: str


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


def style(active: Stage | Lab) -> None:
    """The style sheet, in the colours of the appearance in use, with this stage marked in the rail."""
    colours = theme_named(theme())
    names = {"accent": colours.attention, "line": colours.line, "background": colours.background}
    variables = "".join(f"--ew-{name}: {colour};" for name, colour in names.items())
    place = active.number + 1 if isinstance(active, Stage) else 0
    sheet = _STYLE.read_text(encoding="utf-8").replace("ACTIVE", str(place))
    st.html(f"<style>:root {{ {variables} }}\n{sheet}</style>")


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


def depths(
    tables: Mapping[str, Table],
    formula: str,
    code: Sequence[Callable[..., Any]],
    question: Question,
    looked: Looked | None = None,
) -> None:
    """Numbers on the left, those of the cell looked at first; formula, code and the question on the right."""
    if session().answering:
        time.sleep(_AHEAD)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _numbers(tables, looked)
    with right:
        formula_tab, code_tab = st.tabs(["Formula", "Code"], **shows(DETAILS, begins="default"))
        if formula_tab.open:
            formula_tab.latex(formula)
        if code_tab.open:
            source = "\n\n".join(textwrap.dedent(inspect.getsource(function)).rstrip() for function in code)
            code_tab.code(source, language="python", height=320)
        _predict(question)
    if looked:
        # The control and its effect stand next to each other, on a phone as well.
        with st.container(border=True, key="what-if"):
            panel(model.current(), looked)
            changes(model.current(), looked)


def _numbers(tables: Mapping[str, Table], looked: Looked | None) -> None:
    with st.container(border=True):
        names = [CELL, *tables] if looked else list(tables)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Numbers**", width="content")
            chosen = session().among(NUMBERS, names, names[0])
            bound = shows(NUMBERS, chosen, tuple(names), begins="default")
            st.segmented_control("Tensor", names, required=True, label_visibility="collapsed", **bound)
        if looked and chosen not in tables:
            derivation(looked, theme())
        else:
            st.dataframe(_frame_of(tables[chosen]), height=330, width="stretch")


def _frame_of(table: Table) -> pd.DataFrame:
    """Equal names are told apart by their number, because a table's index may not repeat itself."""
    rows = list(table.rows)
    if table.first is not None:
        rows = [f"{number} {shorten(name)}" for number, name in enumerate(rows, table.first)]
    columns = list(table.columns)
    if len(set(columns)) < len(columns):
        columns = [f"{number} {shorten(name)}" for number, name in enumerate(columns, 1)]
    return pd.DataFrame(table.values, index=rows, columns=columns)


def _predict(question: Question) -> None:
    with st.container(border=True):
        st.markdown(f"**Predict** — {question.text}")
        # A question of its own has a radio button of its own: an answer to another one does not carry over.
        key = f"predict {zlib.crc32(repr((question.text, *question.options)).encode())}"
        said = st.radio("Your answer", question.options, index=None, label_visibility="collapsed", key=key)
        if said is not None:
            right = question.options[question.answer]
            if said == right:
                st.success(f"Yes. {question.why}", icon=":material/check:")
            else:
                st.info(f"It is “{right}”. {question.why}", icon=":material/lightbulb:")


def _badges(shapes: Sequence[Shape]) -> str:
    return " ".join(
        f":{_COLOURS[shape.identity]}-badge[{shape.name}\u2002{' × '.join(map(str, shape.sizes))}]" for shape in shapes
    )
