"""What the rows and columns of a panel stand for, and what a click on one of them selects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from encoder_core.figures.window import Labels, Window, cell_names
from encoder_core.support.validation import invalid_value, require_items

# What one place on an axis stands for; "" for anything that a click cannot select, such as a bar of a chart.
AxisKind = Literal[
    "query", "key", "token", "other token", "input token", "hidden token", "position", "other position",
    "dimension", "neuron", "id", "row", "column", "layer", "head", "stage", "sentence", "other sentence", "role",
    "word", "rank", "component", "",
]  # fmt: skip
Selectable = Literal["sentence", "layer", "head", "token", "key_token", "dimension", "neuron", "role", "rank", "stage"]
Selection = Mapping[Selectable, int]  # what a click selects, counted from 0

_KINDS: tuple[AxisKind, ...] = get_args(AxisKind)
_SELECTS: Mapping[AxisKind, Selectable] = {
    "query": "token",
    "token": "token",
    "position": "token",
    "key": "key_token",
    "layer": "layer",
    "head": "head",
    "sentence": "sentence",
    "dimension": "dimension",
    "neuron": "neuron",
    "rank": "rank",
}


class AxisMeaning(NamedTuple):
    """What an axis stands for, where its kind does not determine the title and the selection.

    title    the text at the axis; None takes the kind
    selects  what a click on each place selects; None follows from the kind: a query row selects its token
    """

    kind: AxisKind
    title: str | None = None
    selects: Sequence[Selection] | None = None


@dataclass(frozen=True)
class Axis:
    """The rows or the columns of a panel, or of the tiles of a mosaic.

    names        of the cells
    title        the text at the axis; in a hover it stands before a name
    start, size  the first place that is drawn, and the number of places that a cell stands for
    labels       the names of all places where the cells are bins; empty where the places are numbered from 0
    selects      what a click on each place selects; None follows from the kind
    """

    kind: AxisKind
    names: tuple[str, ...]
    title: str
    start: int = 0
    size: int = 1
    labels: tuple[str, ...] = ()
    selects: tuple[Selection, ...] | None = None

    def __len__(self) -> int:
        """The number of cells."""
        return len(self.names)

    def selection(self, place: int) -> Selection:
        """What a click selects on a cell of this place."""
        if self.selects is not None:
            return self.selects[place]
        selects = _SELECTS.get(self.kind)
        return {selects: place} if selects else {}


LABELS = "lists of names, and windows"


def require_axis(name: str, meaning: object) -> None:
    """Raises ValueError unless the value is an `AxisMeaning` or one of AxisKind."""
    kind = meaning.kind if isinstance(meaning, AxisMeaning) else meaning
    if not isinstance(kind, str) or kind not in _KINDS:
        raise invalid_value(name, kind, ", ".join(map(repr, _KINDS)))


def axis_of(labels: Labels, meaning: AxisKind | AxisMeaning) -> Axis:
    """The axis of these names, or of this window of them. Raises ValueError for other labels and unknown kinds."""
    labels = labels if isinstance(labels, Window) else require_items("labels", labels, str, LABELS)
    require_axis("axis", meaning)
    kind, title, selects = meaning if isinstance(meaning, AxisMeaning) else AxisMeaning(meaning)
    selections = None if selects is None else tuple(selects)
    title = kind if title is None else title
    names = tuple(cell_names(labels))
    if isinstance(labels, Window):
        place_names = labels.labels or () if labels.size > 1 else ()
        return Axis(kind, names, title, labels.start, labels.size, place_names, selections)
    return Axis(kind, names, title, selects=selections)
