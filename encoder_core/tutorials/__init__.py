"""Everything that a reader of the five tutorials sees, row by row: each row is quoted, computed and judged.

`ITEMS[tutorial]` has the rows in the tutorial's order; `examine_all(tutorial, seed)` computes their findings. Random
numbers are drawn by NumPy from the seed, like those of `encoder_core.recipes`.
"""

from encoder_core.tutorials.annotated import ANNOTATED_ITEMS
from encoder_core.tutorials.haiku import HAIKU_ITEMS
from encoder_core.tutorials.item import VERDICTS, Finding, Item, Kind, Quotation, Verdict, judge
from encoder_core.tutorials.nanolm import NANOLM_ITEMS
from encoder_core.tutorials.nnx import NNX_ITEMS

ITEMS: dict[str, tuple[Item, ...]] = {
    "nnx": NNX_ITEMS,
    "haiku": HAIKU_ITEMS,
    "nanolm": NANOLM_ITEMS,
    "annotated": ANNOTATED_ITEMS,
}


def examine_all(tutorial: str, seed: int) -> tuple[Finding, ...]:
    """The findings of all rows of a tutorial, in the order of `ITEMS`. Raises KeyError for an unknown name."""
    return tuple(item.examine(seed) for item in ITEMS[tutorial])


__all__ = ["ITEMS", "VERDICTS", "Finding", "Item", "Kind", "Quotation", "Verdict", "examine_all", "judge"]
