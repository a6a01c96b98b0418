"""The appearance of a panel: what its kinds have in common."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from encoder_core.figures.axis import AxisKind, AxisMeaning, require_axis
from encoder_core.figures.theme import Theme, ThemeName, require_colour, theme_named
from encoder_core.support.validation import require_choice, require_integer, require_number, require_type

MatrixKind = Literal["signed", "weights", "lengths"]


@dataclass(frozen=True, kw_only=True)
class PanelStyle:
    """The appearance of a panel of any kind.

    height        pixels between the axes; None takes the default of the kind
    weight        width relative to other panels of a line; None takes the default of the kind
    title_colour  a field of the theme ("query", ...); None takes the colour of the text
    alt           the alt text; None describes the kind and the size

    Raises ValueError that names the field, its value and the allowed values.
    """

    theme: ThemeName = "light"
    height: int | None = None
    weight: int | None = None
    title_colour: str | None = None
    alt: str | None = None

    def __post_init__(self) -> None:
        theme_named(self.theme)
        for name in ("height", "weight"):
            if getattr(self, name) is not None:
                require_integer(name, getattr(self, name), 1)
        if self.title_colour is not None:
            require_colour("title_colour", self.title_colour)
        require_type("alt", self.alt, str | None, "None and strings")

    @property
    def colours(self) -> Theme:
        """The colours of the theme."""
        return theme_named(self.theme)


DEFAULT_STYLE = PanelStyle()


def require_style(style: object) -> None:
    """Raises ValueError unless the value is a style of panels."""
    require_type("style", style, PanelStyle, "styles such as PanelStyle(theme='dark')")


@dataclass(frozen=True, kw_only=True)
class MatrixStyle(PanelStyle):
    """The appearance of matrices: one heatmap, or the tiles of a mosaic.

    kind                   "signed": from -limit to limit, centred on zero; "weights", "lengths": from 0 to limit
    limit                  the end of the colour scale; cells beyond it have a dot. None takes `colour_limit` of the
                           values for "signed", 1 for the others
    row_axis, column_axis  what rows and columns stand for
    """

    kind: MatrixKind = "signed"
    limit: float | None = None
    row_axis: AxisKind | AxisMeaning = "token"
    column_axis: AxisKind | AxisMeaning = "dimension"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("kind", self.kind, get_args(MatrixKind))
        if self.limit is not None:
            require_number("limit", self.limit, 0, float(np.finfo(np.float32).max))
        require_axis("row_axis", self.row_axis)
        require_axis("column_axis", self.column_axis)
