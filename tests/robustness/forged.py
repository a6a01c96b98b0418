"""Messages that no browser sends."""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.client.mounts import Mounted
from benchmarks.load import Visitor

HUGE = "x" * 50_000
CLICK = {"panel": 0, "row": 0, "column": 0, "tile": None}
CELLS = (
    None, 1, "x", [], {}, {"panel": 0},
    *({**CLICK, "panel": panel} for panel in ("0", -1, 10**30, math.nan)),
    *({**CLICK, "row": row} for row in (math.nan, -1, 1.5, [0], True, 10**30, None)),
    *({**CLICK, "tile": tile} for tile in ("x", [9, -9], [99, 99], [0, 0, 0], [math.nan, 0], {})),
)  # fmt: skip
ADDRESSES = (
    "", "x", "nan", HUGE, "output.0.0.-1", "output.0.0.x", "scores.99.0.0.0.0", "logits.0.0.0", "pattern.0.0.0.0.99",
    "parameters.token_embedding.0", "\x00\ud7ff\U0001f9ea", None, 1, [], {},
)  # fmt: skip
QUERIES = (
    "d_model=nan&edits=~~~", "=&&&=", "%zz%00%ff", "cell=" + "~" * 500, "text=" + HUGE, "layer=1&" * 9_000, 1, {},
)  # fmt: skip
ROWS = (
    {"edited_rows": {"x": {"dim 0": 1}}, "added_rows": [], "deleted_rows": []},
    {"edited_rows": {"0": {"dim 0": "x"}}, "added_rows": [], "deleted_rows": []},
    {"edited_rows": {"99": {"nothing": math.nan}}, "added_rows": [{}], "deleted_rows": [0, 99]},
    {"edited_rows": [], "added_rows": 1, "deleted_rows": None},
    {"edited_rows": {"0": {"dim 0": 1e308, "dim 99": 1}}, "added_rows": [], "deleted_rows": []},
)
# Field of a widget's state -> values that a widget of this kind does not have.
VALUES: dict[str, tuple[Any, ...]] = {
    "trigger_value": (True,),
    "bool_value": (True,),
    "double_value": (math.nan, math.inf, -math.inf, 1e308, -1.5),
    "int_value": (-1, 2**62),
    "string_value": ("", "x", "nan", "\x00\ud7ff\U0001f9ea", HUGE),
    "double_array_value": ([], [math.nan], [math.inf, 9.0, 0.5]),
    "string_array_value": ([], ["x"], ["1", "x", "nan"], [HUGE]),
    "json_value": (
        "", "x", "{", "null", "[1]", '"x"', "1e999", "NaN", "[" * 5_000,
        *(json.dumps({"cell": cell}) for cell in CELLS), *map(json.dumps, ROWS),
    ),
    "json_trigger_value": ("", "x", "{}", "[1]", "[{}]", "null"),
}  # fmt: skip
# Component -> its event, and values that its JavaScript never sends.
EVENTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "derivation": ("go", ADDRESSES),
    "diagram": ("open", ("x", [], {}, 1)),
    "address": ("restore", QUERIES),
}
FORGERIES = [(field, value) for field, values in VALUES.items() for value in values]


def forge(field: str, value: Any) -> Callable[[WidgetState], None]:
    """A function that sets this field of a state."""

    def change(state: WidgetState) -> None:
        if field.endswith("_array_value"):
            getattr(state, field).data.extend(value)
        else:
            setattr(state, field, value)

    return change


def send_forged(visitor: Visitor, mounted: Mounted, change: Callable[[WidgetState], None]) -> None:
    """Send all states of a tab with a forged one, and wait for the answer."""
    states = visitor.app.widget_states.all()
    change(
        next((state for state in states.widgets if state.id == mounted.id), None) or states.widgets.add(id=mounted.id)
    )
    visitor.app._send_rerun(states, fragment=mounted.node.fragment)
    visitor.wait()


def widgets_of(visitor: Visitor) -> Iterator[tuple[str, Mounted]]:
    """Every widget of a tab, with its kind; of a component, its name."""
    for mounted in visitor.app.mounts.all.values():
        if mounted.id and hasattr(mounted.node, "fragment"):
            name = getattr(mounted.proto, "component_name", "").rpartition(".")[2]
            yield name or mounted.node.kind, mounted
