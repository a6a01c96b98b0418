"""The table of a tutorial's rows: a click on a row opens it. On a narrow screen each row is a card."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from dashboard.components.static_files import register_component
from dashboard.state.widgets import component_value

_COMPONENT = register_component("item_table", Path(__file__).parent)


@dataclass(frozen=True)
class Row:
    """One row, as plain text.

    says       what the tutorial says; may be empty
    quoted     whether these are its words
    verdict    "holds", "holds if" or "does not hold"; it decides the icon and the colour
    condition  continues the words "holds if"; otherwise empty
    """

    name: str
    title: str
    kind: str
    says: str
    quoted: bool
    verdict: str
    condition: str
    measured: str


def render_item_table(rows: Sequence[Row], selected: str, *, key: str, on_open: Callable[[str], None]) -> None:
    """Render the rows, with the selected one marked. A click calls `on_open` with the row's name, before the rerun."""

    def on_row_click() -> None:
        name = component_value(key, "open")
        if name in [row.name for row in rows]:
            on_open(name)

    _COMPONENT(data={"rows": [asdict(row) for row in rows], "selected": selected}, key=key, on_open_change=on_row_click)
