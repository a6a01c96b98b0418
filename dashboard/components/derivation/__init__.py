"""The derivation of one number, step by step: operands with names and values, products, sums."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.static_files import register_component
from dashboard.selection import inspected_cell
from dashboard.selection.inspected_cell import AXIS_KINDS, FROM_ONE, Inspection
from dashboard.state.widgets import bind_value, component_value
from encoder_core.explain import Cell, Operand, Step, Term, largest_first
from encoder_core.explain.cell import AXES
from encoder_core.figures import ThemeName, theme_named
from encoder_core.support.number_format import format_calculation, format_number

_COMPONENT = register_component("derivation", Path(__file__).parent)
MAX_TERMS = 8  # of a sum; a longer sum shows the largest and folds the rest
DIGITS = 5  # significant digits; the same number as in derivation.js
PRODUCT_DIGITS = 4  # of a product of two factors; the factors get more if the product needs them
_IDENTITY = {
    **dict.fromkeys(("q", "query.kernel", "query.bias"), "query"),
    **dict.fromkeys(("k", "key.kernel", "key.bias"), "key"),
    **dict.fromkeys(("v", "value.kernel", "value.bias", "z"), "value"),
    **dict.fromkeys(("dot_products", "scores", "pattern", "mean_pattern"), "attention"),
}


def render_derivation(inspection: Inspection, theme: ThemeName) -> None:
    """Render the derivation of the inspected cell. A click on an operand or on a cell of the trail inspects it."""
    derivation = inspection.derivation

    def on_operand_click() -> None:
        address = component_value("derivation", "go")
        if address in _cells(inspection):
            inspected_cell.open_operand(inspection, address)

    st.latex(derivation.formula)
    _COMPONENT(
        data={
            "trail": [{"cell": str(cell), "label": _short_name(cell)} for cell in inspection.trail],
            "description": derivation.description,
            "trace_value": _number(derivation.trace_value),
            "result": _number(derivation.result),
            "difference": derivation.difference,
            "note": derivation.note,
            "steps": [_step(step, theme) for step in derivation.steps],
            "colours": {"plus": theme_named(theme).positive, "minus": theme_named(theme).negative},
        },
        key="derivation",
        on_go_change=on_operand_click,
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _render_index_fields(inspection)
        if derivation.terms:
            st.download_button(
                "All terms", lambda: as_csv(derivation.terms), file_name=f"{derivation.cell}.csv", mime="text/csv",
                icon=":material/download:", on_click="ignore", key="derivation_terms",
            )  # fmt: skip


def _cells(inspection: Inspection) -> list[str]:
    """The cells that a click can open: those of the trail, and all operands."""
    return [*map(str, inspection.trail), *map(str, inspection.derivation.operand_cells)]


def as_csv(terms: Sequence[Term]) -> str:
    """All terms of a sum as CSV: names, values and cells of the operands, the term's value, the running sum."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["operand", "value", "cell", "operand", "value", "cell", "adds", "running sum"])
    for term in terms:
        pair = [*term.operands, *[Operand("", math.nan)] * (2 - len(term.operands))]
        fields = [field for o in pair[:2] for field in ((o.name, repr(o.value), o.cell or "") if o.name else ("",) * 3)]
        writer.writerow([*fields, repr(term.value), repr(term.running_sum)])
    return out.getvalue()


def _step(step: Step, theme: ThemeName) -> dict[str, Any]:
    folded = largest_first(step.terms, MAX_TERMS) if len(step.terms) > MAX_TERMS else None
    return {
        "name": step.name,
        "value": _number(step.value),
        "terms": [_term(term, theme) for term in (folded.largest if folded else step.terms)],
        "folded": [folded.others, folded.others_sum] if folded else None,
    }


def _term(term: Term, theme: ThemeName) -> dict[str, Any]:
    values = [operand.value for operand in term.operands]
    is_product = len(values) == 2 and math.isclose(math.prod(values), term.value, rel_tol=1e-9, abs_tol=1e-300)
    return {
        "operands": [_operand(operand, theme) for operand in term.operands],
        "sign": "×" if is_product else "+",
        **_digits(term, values if is_product else []),
        "adds": _number(term.value),
        "running": _number(term.running_sum),
    }


def _digits(term: Term, factors: Sequence[float]) -> dict[str, Any]:
    """Significant digits of a term; the factors of a product get enough digits for it to hold as displayed."""
    if not factors:
        return {"operand_digits": DIGITS, "adds_digits": DIGITS, "relation": "="}
    calculation = format_calculation(factors, term.value, digits=PRODUCT_DIGITS)
    return {"operand_digits": calculation.digits, "adds_digits": PRODUCT_DIGITS, "relation": calculation.relation}


def _operand(operand: Operand, theme: ThemeName) -> dict[str, Any]:
    data = {"name": operand.name, "value": _number(operand.value), "cell": None, "colour": None}
    if operand.cell is not None:
        tensor = operand.cell.tensor
        identity = next((colour for name, colour in _IDENTITY.items() if f".{tensor}".endswith(f".{name}")), None)
        data |= {"cell": str(operand.cell), "colour": getattr(theme_named(theme), identity) if identity else None}
    return data


def _render_index_fields(inspection: Inspection) -> None:
    """Render number fields for the last two axes of the inspected cell."""
    cell = inspection.trail[-1]
    axes = AXES.get(cell.tensor, ("row", "column")[-len(cell.index) :])
    if "position_embedding" in cell.tensor or cell.tensor == "position_encoding":
        axes = ("position", "d_model")
    for place in range(max(0, len(axes) - 2), len(axes)):
        _render_index_field(inspection, place, AXIS_KINDS[axes[place]])


def _render_index_field(inspection: Inspection, place: int, axis: str) -> None:
    cell, first = inspection.trail[-1], int(axis in FROM_ONE)

    def set_index(number: int) -> None:
        index = (*cell.index[:place], int(number) - first, *cell.index[place + 1 :])
        inspected_cell.set_inspected_cell(Cell(cell.tensor, index, cell.layer))

    size = inspection.shape[place]
    bound = bind_value(f"cell_{place}", cell.index[place] + first, set_index, (cell.tensor, cell.layer, size))
    st.number_input(axis, first, size - 1 + first, width=110, **bound)


def _short_name(cell: Cell) -> str:
    name = cell.parameter or cell.tensor
    return f"{name.removeprefix('layers.')} [{', '.join(map(str, cell.index))}]"


def _number(value: float | None) -> float | str | None:
    """A number for JSON, with infinities and NaN as text."""
    return value if value is None or math.isfinite(value) else format_number(value)
