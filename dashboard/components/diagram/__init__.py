"""The diagram of the map: the encoder as a flow of cards, each with a small heatmap and a link to its stage."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard.components.static_files import register_component
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.state.widgets import component_value
from encoder_core.figures import ThemeName, Window, colour_limit, theme_named, window
from encoder_core.support.number_format import format_number

_COMPONENT = register_component("diagram", Path(__file__).parent)
_MOST_CELLS = 32  # largest number of rows and of columns of a thumbnail; a bin shows its largest value
_MASKED = 255


class Thumbnail(NamedTuple):
    """A small heatmap: the numbers of its rows and columns, a byte for each cell in base64, and the rows in a bin."""

    rows: int
    columns: int
    levels: str
    bin_size: int


@dataclass(frozen=True)
class Card:
    """One part of the encoder: stage to open, title, shape as text, and values or words.

    row        the row of the values that is outlined
    thumbnail  of the values, if they have been drawn before (`draw_card`)
    """

    stage: str
    title: str
    shape: str
    values: Float[np.ndarray, "row column"] | None = None
    kind: Literal["signed", "weights"] = "signed"
    identity: str | None = None
    words: Sequence[str] = ()
    row: int | None = None
    thumbnail: Thumbnail | None = None


class Bridge(NamedTuple):
    """A residual connection from before card `start` to card `end`, by their indices, with the factor of an edit."""

    start: int
    end: int
    factor: float = 1.0


@dataclass(frozen=True)
class Group:
    """Consecutive cards; a `label` adds a frame around them.

    bridges  residual connections between them
    pairs    whether a narrow screen has two cards in a row instead of one
    """

    cards: Sequence[Card]
    label: str = ""
    bridges: Sequence[Bridge] = ()
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
                    "bridges": [_bridge_data(bridge) for bridge in group.bridges],
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


def draw_card(card: Card) -> Card:
    """The card with the thumbnail of its values instead of them, to be cached."""
    return card if card.values is None else replace(card, values=None, thumbnail=_thumbnail(card.values, card.kind))


def _bridge_data(bridge: Bridge) -> dict[str, Any]:
    change = "" if bridge.factor == 1 else f" × {format_number(bridge.factor, 3)}" if bridge.factor else " removed"
    return {"from": bridge.start, "to": bridge.end, "label": f"residual{change}", "removed": bridge.factor == 0}


def _card_data(card: Card, theme: ThemeName) -> dict[str, Any]:
    drawn = draw_card(card)
    data: dict[str, Any] = {name: getattr(card, name) for name in ("stage", "title", "shape", "kind", "words")}
    data["colour"] = getattr(theme_named(theme), card.identity) if card.identity else None
    data["number"] = stage_named(card.stage).number
    if drawn.thumbnail:
        data["thumbnail"] = {name: getattr(drawn.thumbnail, name) for name in ("rows", "columns", "levels")}
        data["markedRow"] = None if card.row is None else card.row // drawn.thumbnail.bin_size
    return data


def _thumbnail(values: Float[np.ndarray, "row column"], kind: str) -> Thumbnail:
    rows, columns = (Window(0, size).fitted(_MOST_CELLS) for size in values.shape)
    pooled = window.pool(values, rows, columns).values
    return Thumbnail(
        len(pooled), pooled.shape[1], base64.b64encode(_levels(pooled, kind).tobytes()).decode(), rows.size
    )


def _levels(values: Float[np.ndarray, "row column"], kind: str) -> np.ndarray:
    """Positions on the colour scale from 0 to 254; 255 for masked cells.

    Dropout makes weights larger than 1, which have the last colour.
    """
    share = values if kind == "weights" else values / (2 * colour_limit(values)) + 0.5
    levels = np.where(np.isfinite(values), np.nan_to_num(share).clip(0, 1) * (_MASKED - 1), _MASKED)
    return np.round(levels).astype(np.uint8)
