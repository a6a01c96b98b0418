"""One palette for all figures, in light and dark, for readers with and without common kinds of colour blindness.

Four colours have the same meaning on every page: blue is query, red is key, green is value, purple is attention. The
signed scale uses none of them: negative is teal, positive is orange, zero is the background of the page. Weights, which
are not negative, run from the background to the purple of attention; lengths run from the background to grey.
"""

from dataclasses import dataclass, fields
from typing import Literal

from encoder_core.support.validation import require_choice

ThemeName = Literal["light", "dark"]
Scale = tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Theme:
    """The colours of one appearance."""

    background: str
    text: str
    muted: str
    line: str
    masked: str
    hatch: str
    query: str
    key: str
    value: str
    attention: str
    signed: Scale
    weights: Scale
    lengths: Scale

    @property
    def negative(self) -> str:
        """The colour of a negative number without a scale, in a bar."""
        return self.signed[1][1]

    @property
    def positive(self) -> str:
        """The colour of a positive number without a scale, in a bar."""
        return self.signed[-2][1]


_COLOURS = tuple(field.name for field in fields(Theme) if field.type is str)


def _scale(colours: str) -> Scale:
    stops = colours.split()
    return tuple((index / (len(stops) - 1), colour) for index, colour in enumerate(stops))


THEMES: dict[str, Theme] = {
    "light": Theme(
        background="#ffffff",
        text="#1c2030",
        muted="#5d6475",
        line="#d9dce5",
        masked="#eceef2",
        hatch="#c3c8d4",
        query="#1a66c2",
        key="#c62b3b",
        value="#1b7a43",
        attention="#7340c9",
        signed=_scale("#07424f #0d6f82 #3f9fae #a5d3da #ffffff #fbd0a6 #ec8f3c #c25c10 #752f03"),
        weights=_scale("#ffffff #e9dffa #c9b1f1 #a17de3 #7340c9 #431a8c"),
        lengths=_scale("#ffffff #e4e7ed #c0c6d1 #8c94a5 #5d6475 #2b3040"),
    ),
    "dark": Theme(
        background="#11151c",
        text="#eef1f7",
        muted="#98a1b3",
        line="#303746",
        masked="#232934",
        hatch="#414a5c",
        query="#6cb2ff",
        key="#ff8a8f",
        value="#67d492",
        attention="#b99af5",
        signed=_scale("#b9f1f8 #5cc6d6 #2793a5 #176270 #11151c #784512 #bd6a1e #f29a45 #ffdcb5"),
        weights=_scale("#11151c #3d2d69 #5c42a4 #7f5dcb #a986ef #e4d7ff"),
        lengths=_scale("#11151c #252b36 #414a5c #6d7789 #98a1b3 #dfe4ee"),
    ),
}


def theme_named(name: ThemeName) -> Theme:
    """The colours of "light" or "dark". Raises ValueError for any other name."""
    require_choice("theme", name, THEMES)
    return THEMES[name]


def require_colour(name: str, value: object) -> None:
    """Raises ValueError unless the value is a field of `Theme` that is one colour."""
    require_choice(name, value, _COLOURS)
