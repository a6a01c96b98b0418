"""The diagram of the map: the encoder as a flow of cards, each with a small heatmap and a link to its stage."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from dashboard.components.static_files import register_component
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.state.widgets import component_value
from encoder_core.figures import ThemeName, Window, colour_limit, theme_named, window

_COMPONENT = register_component("diagram", Path(__file__).parent)
_MOST_CELLS = 32  # largest number of rows and of columns of a thumbnail; a bin shows its largest value
_MASKED = 255


@dataclass(frozen=True)
class Card:
    """One part of the encoder: stage to open, title, shape as text, and values or words.

    row  the row of the values that is outlined
    """

    stage: str
    title: str
    shape: str
    values: Float[np.ndarray, "row column"] | None = None
    kind: Literal["signed", "weights"] = "signed"
    identity: str | None = None
    words: Sequence[str] = ()
    row: int | None = None


@dataclass(frozen=True)
class Group:
    """Consecutive cards; a `label` adds a frame around them.

    bridges  residual connections (from, to): from before card `from` to card `to`
    pairs    whether a narrow screen has two cards in a row instead of one
    """

    cards: Sequence[Card]
    label: str = ""
    bridges: Sequence[tuple[int, int]] = ()
    pairs: bool = False


def render_diagram(
    groups: Sequence[Group],
    *,
    key: str,
    theme: ThemeName,
    on_open: Callable[[str], None] = open_page,
    query: str | None = None,
) -> None:
    """Render the groups one after another. A click on a card opens its stage.

    on_open  called with the name of the clicked stage
    query    the query string of the cards' links, for another tab; None takes that of the page
    """
    colours = theme_named(theme)

    def on_card_click() -> None:
        stage = component_value(key, "open")
        if stage in [card.stage for group in groups for card in group.cards]:
            on_open(stage)

    _COMPONENT(
        data={
            "groups": [
                {
                    "label": group.label,
                    "pairs": group.pairs,
                    "bridges": [list(bridge) for bridge in group.bridges],
                    "cards": [_card_data(card, theme) for card in group.cards],
                }
                for group in groups
            ],
            "scales": {
                "signed": [list(stop) for stop in colours.signed],
                "weights": [list(stop) for stop in colours.weights],
            },
            "masked": colours.masked,
            "query": query,
        },
        key=key,
        on_open_change=on_card_click,
    )


def _card_data(card: Card, theme: ThemeName) -> dict[str, Any]:
    data = {name: value for name, value in asdict(card).items() if name not in ("values", "identity", "row")}
    data["colour"] = getattr(theme_named(theme), card.identity) if card.identity else None
    data["number"] = stage_named(card.stage).number
    if card.values is not None:
        rows, columns = (Window(0, size).fitted(_MOST_CELLS) for size in card.values.shape)
        thumbnail = window.pool(card.values, rows, columns).values
        data["markedRow"] = None if card.row is None else card.row // rows.size
        data["thumbnail"] = {
            "rows": thumbnail.shape[0],
            "columns": thumbnail.shape[1],
            "levels": base64.b64encode(_levels(thumbnail, card.kind).tobytes()).decode(),
        }
    return data


def _levels(values: Float[np.ndarray, "row column"], kind: str) -> np.ndarray:
    """Positions on the colour scale from 0 to 254; 255 for masked cells."""
    share = values if kind == "weights" else (values / (2 * colour_limit(values)) + 0.5).clip(0, 1)
    levels = np.where(np.isfinite(values), np.nan_to_num(share, posinf=0, neginf=0) * 254, _MASKED)
    return np.round(levels).clip(0, 255).astype(np.uint8)
