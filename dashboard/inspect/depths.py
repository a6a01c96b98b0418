"""The depths below a picture: numbers, formula, code and a question; for an inspected cell, arithmetic and edits."""

import inspect
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from dashboard.components.derivation import derivation
from dashboard.inspect.edit_effect import changes
from dashboard.inspect.edit_panel import panel
from dashboard.inspect.questions import Question, ask
from dashboard.models import model
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import DETAILS, NUMBERS
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.figures.base import shorten

# After a move in the sidebar the picture goes ahead of what stands below it: of both together, a browser lays out all
# before it paints.
_AHEAD = 0.16  # seconds; the shorter, the more often a browser takes both in one piece
CELL = "the cell"


@dataclass(frozen=True)
class Table:
    """A tensor as a table: values, with the names of its rows and columns.

    first  the number before the name of the first row, such as 1 for tokens; None where the names are numbers already
    """

    values: Float[np.ndarray, "row column"]
    rows: Sequence[str]
    columns: Sequence[str]
    first: int | None = 1


def render_depths(
    tables: Mapping[str, Table],
    formula: str,
    code: Sequence[Callable[..., Any]],
    question: Question,
    inspection: Inspection | None = None,
) -> None:
    """Numbers on the left, those of the cell looked at first; formula, code and the question on the right."""
    if session().answering:
        time.sleep(_AHEAD)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _numbers(tables, inspection)
    with right:
        formula_tab, code_tab = st.tabs(["Formula", "Code"], **shows(DETAILS, begins="default"))
        if formula_tab.open:
            formula_tab.latex(formula)
        if code_tab.open:
            source = "\n\n".join(textwrap.dedent(inspect.getsource(function)).rstrip() for function in code)
            code_tab.code(source, language="python", height=320)
        ask(question)
    if inspection:
        # The control and its effect stand next to each other, on a phone as well.
        with st.container(border=True, key="what-if"):
            panel(model.current(), inspection)
            changes(model.current(), inspection)


def _numbers(tables: Mapping[str, Table], inspection: Inspection | None) -> None:
    with st.container(border=True):
        names = [CELL, *tables] if inspection else list(tables)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Numbers**", width="content")
            chosen = session().among(NUMBERS, names, names[0])
            bound = shows(NUMBERS, chosen, tuple(names), begins="default")
            st.segmented_control("Tensor", names, required=True, label_visibility="collapsed", **bound)
        if inspection and chosen not in tables:
            derivation(inspection, current_theme())
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
