"""The appearance of a panel: what its kinds have in common."""

from dataclasses import dataclass
from typing import Literal

from encoder_core.figures.axis import AxisKind, AxisMeaning
from encoder_core.figures.theme import Theme, ThemeName, theme_named

MatrixKind = Literal["signed", "weights"]


@dataclass(frozen=True, kw_only=True)
class PanelStyle:
    """The appearance of a panel of any kind.

    height        pixels between the axes; None takes the default of the kind
    weight        width relative to other panels of a line; None takes the default of the kind
    title_colour  a field of the theme ("query", ...); None takes the colour of the text
    alt           the alt text; None describes the kind and the size
    """

    theme: ThemeName = "light"
    height: int | None = None
    weight: int | None = None
    title_colour: str | None = None
    alt: str | None = None

    @property
    def colours(self) -> Theme:
        """The colours of the theme."""
        return theme_named(self.theme)


DEFAULT_STYLE = PanelStyle()


@dataclass(frozen=True, kw_only=True)
class MatrixStyle(PanelStyle):
    """The appearance of matrices: one heatmap, or the tiles of a mosaic.

    kind                   "signed": from -limit to limit, centred on zero; "weights": from 0 to limit
    limit                  the end of the colour scale; cells beyond it have a dot. None takes `colour_limit` of the
                           values for "signed", 1 for "weights"
    row_axis, column_axis  what rows and columns stand for
    """

    kind: MatrixKind = "signed"
    limit: float | None = None
    row_axis: AxisKind | AxisMeaning = "token"
    column_axis: AxisKind | AxisMeaning = "dimension"
