"""The map's component: the encoder as a flow of cards, each with a small real heatmap, each a link to its stage."""

import base64
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from dashboard.components.static_files import component
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.state.widgets import component_value
from encoder_core.figures import ThemeName, Window, scale_of, theme_named, window

_COMPONENT = component("diagram", Path(__file__).parent)
_MOST_CELLS = 32  # a thumbnail shows this many rows and columns at most, each the largest of its bin
_MASKED = 255


@dataclass(frozen=True)
class Card:
    """One part of the encoder: the stage it leads to, its name, its shape in words, and its values (or its words)."""

    stage: str
    title: str
    shape: str
    values: Float[np.ndarray, "row column"] | None = None
    kind: Literal["signed", "weights"] = "signed"
    identity: str | None = None
    words: Sequence[str] = ()


@dataclass(frozen=True)
class Group:
    """Cards that belong together: with a `label` they get a frame. A bridge (from, to) is a residual connection
    that leaves before one card and arrives at another."""

    cards: Sequence[Card]
    label: str = ""
    bridges: Sequence[tuple[int, int]] = ()


def diagram(groups: Sequence[Group], *, key: str, theme: ThemeName) -> None:
    """Draw the groups one after another. A click on a card opens its stage."""
    colours = theme_named(theme)

    def opened() -> None:
        stage = component_value(key, "open")
        if stage in {card.stage for group in groups for card in group.cards}:
            open_page(stage)

    _COMPONENT(
        data={
            "groups": [
                {
                    "label": group.label,
                    "bridges": [list(bridge) for bridge in group.bridges],
                    "cards": [_drawn(card, theme) for card in group.cards],
                }
                for group in groups
            ],
            "scales": {
                "signed": [list(stop) for stop in colours.signed],
                "weights": [list(stop) for stop in colours.weights],
            },
            "masked": colours.masked,
        },
        key=key,
        on_open_change=opened,
    )


def _drawn(card: Card, theme: ThemeName) -> dict[str, Any]:
    drawn = {name: value for name, value in asdict(card).items() if name not in ("values", "identity")}
    drawn["colour"] = getattr(theme_named(theme), card.identity) if card.identity else None
    drawn["number"] = stage_named(card.stage).number
    if card.values is not None:
        rows, columns = (Window(0, size).fitted(_MOST_CELLS) for size in card.values.shape)
        shown = window.drawn(card.values, rows, columns).values
        drawn["thumbnail"] = {
            "rows": shown.shape[0],
            "columns": shown.shape[1],
            "levels": base64.b64encode(_levels(shown, card.kind).tobytes()).decode(),
        }
    return drawn


def _levels(values: Float[np.ndarray, "row column"], kind: str) -> np.ndarray:
    """0 to 254 along the colour scale; 255 for masked cells."""
    share = values if kind == "weights" else (values / (2 * scale_of(values)) + 0.5).clip(0, 1)
    levels = np.where(np.isfinite(values), np.nan_to_num(share, posinf=0, neginf=0) * 254, _MASKED)
    return np.round(levels).clip(0, 255).astype(np.uint8)
