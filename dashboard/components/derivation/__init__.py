"""The arithmetic behind one number: every operand with its name and value, the products, the sum, step by step."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.components.static_files import component
from dashboard.selection import inspected_cell
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.widgets import component_value, shows_value
from encoder_core.explain import Cell, Operand, Step, Term, largest_first
from encoder_core.explain.cell import AXES
from encoder_core.figures import ThemeName, format_calculation, format_number, theme_named

_COMPONENT = component("derivation", Path(__file__).parent)
SHOWN = 8  # terms of a sum; of a longer one the largest, the rest folded
DIGITS = 5  # significant digits of a number; derivation.js has the same
PRODUCT_DIGITS = 4  # of a product of two factors, which have more where the product needs them
_IDENTITY = {
    **dict.fromkeys(("q", "query.kernel", "query.bias"), "query"),
    **dict.fromkeys(("k", "key.kernel", "key.bias"), "key"),
    **dict.fromkeys(("v", "value.kernel", "value.bias", "z"), "value"),
    **dict.fromkeys(("dot_products", "scores", "pattern"), "attention"),
}
_FROM_ONE = {"batch", "head", "query", "key", "seq", "position"}  # counted from 1 on screen; dimensions from 0


def derivation(inspection: Inspection, theme: ThemeName) -> None:
    """Draw the derivation of the cell looked at. A click on an operand goes on to it; the trail leads back."""
    found = inspection.derivation

    def gone() -> None:
        address = component_value("derivation", "go")
        if address:
            inspected_cell.go(inspection, address)

    st.latex(found.formula)
    _COMPONENT(
        data={
            "trail": [{"cell": str(cell), "label": _short(cell)} for cell in inspection.trail],
            "words": found.words,
            "shown": _number(found.shown),
            "result": _number(found.result),
            "difference": found.difference,
            "note": found.note,
            "steps": [_step(step, theme) for step in found.steps],
            "colours": {"plus": theme_named(theme).signed[-2][1], "minus": theme_named(theme).signed[1][1]},
        },
        key="derivation",
        on_go_change=gone,
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _pickers(inspection)
        if found.terms:
            st.download_button(
                "All terms", lambda: as_csv(found.terms), file_name=f"{found.cell}.csv", mime="text/csv",
                icon=":material/download:", on_click="ignore", key="derivation_terms",
            )  # fmt: skip


def as_csv(terms: Sequence[Term]) -> str:
    """All terms of a sum: operands with names, values and cells, what each term adds, the running sum."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["operand", "value", "cell", "operand", "value", "cell", "adds", "running sum"])
    for term in terms:
        pair = [*term.operands, *[Operand("", math.nan)] * (2 - len(term.operands))]
        fields = [field for o in pair[:2] for field in ((o.name, repr(o.value), o.cell or "") if o.name else ("",) * 3)]
        writer.writerow([*fields, repr(term.adds), repr(term.running)])
    return out.getvalue()


def _step(step: Step, theme: ThemeName) -> dict[str, Any]:
    folded = largest_first(step.terms, SHOWN) if len(step.terms) > SHOWN else None
    return {
        "name": step.name,
        "value": _number(step.value),
        "terms": [_term(term, theme) for term in (folded.largest if folded else step.terms)],
        "folded": [folded.folded, folded.folded_sum] if folded else None,
    }


def _term(term: Term, theme: ThemeName) -> dict[str, Any]:
    values = [operand.value for operand in term.operands]
    is_product = len(values) == 2 and math.isclose(math.prod(values), term.adds, rel_tol=1e-9, abs_tol=1e-300)
    return {
        "operands": [_operand(operand, theme) for operand in term.operands],
        "sign": "×" if is_product else "+",
        **_digits(term, values if is_product else []),
        "adds": _number(term.adds),
        "running": _number(term.running),
    }


def _digits(term: Term, factors: Sequence[float]) -> dict[str, Any]:
    """How many digits the operands and what they add are shown with: of a product, so that it holds as displayed."""
    if not factors:
        return {"operand_digits": DIGITS, "adds_digits": DIGITS, "relation": "="}
    shown = format_calculation(factors, term.adds, digits=PRODUCT_DIGITS)
    return {"operand_digits": shown.digits, "adds_digits": PRODUCT_DIGITS, "relation": shown.relation}


def _operand(operand: Operand, theme: ThemeName) -> dict[str, Any]:
    drawn = {"name": operand.name, "value": _number(operand.value), "cell": None, "colour": None}
    if operand.cell is not None:
        tensor = operand.cell.tensor
        identity = next((colour for name, colour in _IDENTITY.items() if f".{tensor}".endswith(f".{name}")), None)
        drawn |= {"cell": str(operand.cell), "colour": getattr(theme_named(theme), identity) if identity else None}
    return drawn


def _pickers(inspection: Inspection) -> None:
    """Row and column by keyboard."""
    cell = inspection.trail[-1]
    axes = AXES.get(cell.tensor, ("row", "column")[-len(cell.index) :])
    if cell.parameter == "position_embedding":
        axes = ("position", "dimension")
    for place in range(max(0, len(axes) - 2), len(axes)):
        _picker(inspection, place, axes[place])


def _picker(inspection: Inspection, place: int, axis: str) -> None:
    cell, first = inspection.trail[-1], int(axis in _FROM_ONE)

    def picked(number: int) -> None:
        index = (*cell.index[:place], int(number) - first, *cell.index[place + 1 :])
        inspected_cell.choose(Cell(cell.tensor, index, cell.layer))

    size = inspection.shape[place]
    bound = shows_value(f"cell_{place}", cell.index[place] + first, picked, (cell.tensor, cell.layer, size))
    st.number_input(axis, first, size - 1 + first, width=110, **bound)


def _short(cell: Cell) -> str:
    name = cell.parameter or cell.tensor
    return f"{name.removeprefix('layers.')} [{', '.join(map(str, cell.index))}]"


def _number(value: float | None) -> float | str | None:
    """Infinities and NaN as text: JSON has none."""
    return value if value is None or math.isfinite(value) else format_number(value)
