"""The depths of a page below its plot: numbers, formula, code, a question, and edits of the inspected cell."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from dashboard.components.derivation import render_derivation
from dashboard.inspect.edit_effect import render_edit_effect
from dashboard.inspect.edit_panel import render_edit_panel
from dashboard.inspect.predict_first import ask_below
from dashboard.inspect.questions import Question
from dashboard.inspect.source_code import render_source
from dashboard.inspect.training_effect import render_training_effect
from dashboard.models.current import current_model
from dashboard.selection.inspected_cell import Inspection
from dashboard.serving.early_figures.after_figures import end_figures
from dashboard.state.choices import DETAILS, NUMBERS
from dashboard.state.presentation import is_presenting
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.support.wording import shorten

INSPECTED_CELL = "the cell"


@dataclass(frozen=True)
class NumberTable:
    """A tensor as a table: values, with the names of its rows and columns.

    first  number of the first row, shown before its name, such as 1 for tokens; None if the names need none
    """

    values: Float[np.ndarray, "row column"]
    rows: Sequence[str]
    columns: Sequence[str]
    first: int | None = 1


def render_depths(
    tables: Mapping[str, NumberTable],
    formula: str,
    code: Sequence[Callable[..., Any]],
    question: Question,
    inspection: Inspection | None = None,
    *,
    begins_with_table: bool = False,
) -> None:
    """Render the comparison with the untrained state, numbers on the left, formula, code and question on the right, and
    below them the edits. The page renders the question before its figure if the user wants that (`ask_first`).
    Presentation mode shows the plots alone.

    begins_with_table  whether the numbers begin with the first table instead of the inspected cell
    """
    end_figures()
    if is_presenting():
        return
    if inspection:
        render_training_effect(current_model(), inspection)
    with st.container(horizontal=True, gap="medium", key="depths"):  # below each other where a formula would be cut
        has_derivation = _render_numbers(tables, inspection, begins_with_table=begins_with_table)
        _render_reading(formula, code, question)
    if inspection:
        # In one container, so that the controls stay next to their effect on a phone.
        with st.container(border=True, key="what-if"):
            render_edit_panel(current_model(), inspection, has_derivation=has_derivation)
            render_edit_effect(current_model(), inspection)


def _render_reading(formula: str, code: Sequence[Callable[..., Any]], question: Question) -> None:
    with st.container():
        formula_tab, code_tab = st.tabs(["Formula", "Code"], **bind_widget(DETAILS, value_argument="default"))
        if formula_tab.open:
            formula_tab.latex(formula)
        if code_tab.open:
            with code_tab:
                render_source(code)
        ask_below(question)


def _render_numbers(
    tables: Mapping[str, NumberTable], inspection: Inspection | None, *, begins_with_table: bool
) -> bool:
    """Render the derivation of the inspected cell or a table; whether it is the derivation."""
    with st.container(border=True, key="number_box"):
        names = [INSPECTED_CELL, *tables] if inspection else list(tables)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header("Numbers", anchor=False, width="content")
            first = next(iter(tables)) if begins_with_table else names[0]
            name = session().get_option(NUMBERS, names, first)
            bound = bind_widget(NUMBERS, name, tuple(names), value_argument="default")
            st.segmented_control("Tensor", names, required=True, label_visibility="collapsed", **bound)
        if inspection and name not in tables:
            render_derivation(inspection, current_theme())
            return True
        with st.container():  # in which early.css tells it from a formula, which something follows
            st.dataframe(_to_dataframe(tables[name]), height=330, width="stretch")
        return False


def _to_dataframe(table: NumberTable) -> pd.DataFrame:
    """A data frame; columns with equal names get numbers, because their names must be unique."""
    rows = list(table.rows)
    if table.first is not None:
        rows = [f"{number} {shorten(name)}" for number, name in enumerate(rows, table.first)]
    columns = list(table.columns)
    if len(set(columns)) < len(columns):
        columns = [f"{number} {shorten(name)}" for number, name in enumerate(columns, 1)]
    return pd.DataFrame(table.values, index=rows, columns=columns)
