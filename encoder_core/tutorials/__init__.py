"""Everything that a reader of the five tutorials sees, row by row: each row is quoted, computed and judged.

`ITEMS[tutorial]` has the rows in the tutorial's order; `examine_all(tutorial, seed)` computes their findings. Random
numbers are drawn by NumPy from the seed, like those of `encoder_core.recipes`.
"""

from encoder_core.encoder import Encoder
from encoder_core.support.validation import require_choice, require_integer
from encoder_core.tutorials.annotated import ANNOTATED_ITEMS
from encoder_core.tutorials.article import ARTICLE_ITEMS
from encoder_core.tutorials.haiku import HAIKU_ITEMS
from encoder_core.tutorials.item import VERDICTS, Finding, Item, Kind, Quotation, Verdict, judge
from encoder_core.tutorials.nanolm import NANOLM_ITEMS
from encoder_core.tutorials.nnx import NNX_ITEMS
from encoder_core.tutorials.related import RELATED_EXPERIMENTS

ITEMS: dict[str, tuple[Item, ...]] = {
    "nnx": NNX_ITEMS,
    "haiku": HAIKU_ITEMS,
    "nanolm": NANOLM_ITEMS,
    "annotated": ANNOTATED_ITEMS,
    "article": ARTICLE_ITEMS,
}


def examine_all(tutorial: str, seed: int, trained: Encoder | None = None) -> tuple[Finding, ...]:
    """The findings of all rows of a tutorial, in the order of `ITEMS`.

    Raises ValueError for an unknown name, and unless the seed is a whole number from 0.

    trained  all-MiniLM-L6-v2 if it is loaded, for the rows that have `examine_trained`
    """
    require_choice("tutorial", tutorial, ITEMS)
    seed = require_integer("seed", seed, 0)
    return tuple(
        item.examine_trained(trained) if trained and item.examine_trained else item.examine(seed)
        for item in ITEMS[tutorial]
    )


__all__ = [
    "ITEMS",
    "RELATED_EXPERIMENTS",
    "VERDICTS",
    "Finding",
    "Item",
    "Kind",
    "Quotation",
    "Verdict",
    "examine_all",
    "judge",
]
