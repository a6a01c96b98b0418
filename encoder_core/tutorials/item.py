"""One item of a tutorial: what a reader sees there, and a computation that tests it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from encoder_core.encoder import Encoder
from encoder_core.figures import Line, ThemeName
from encoder_core.recipes import Variant

Kind = Literal["figure", "printed result", "exercise", "claim"]
Verdict = Literal["holds", "holds if", "does not hold"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Quotation:
    """A literal quotation, or what notes say of a page that was not found.

    text     as the source has it; "…" stands for words that are left out
    address  URL of the source, with the anchor of the section where it has one; None where the page was not found and
             the words are those of this project's notes on it
    form     "text", "code" (also printed output and docstrings) or "formula" (LaTeX)
    """

    text: str
    address: str | None
    form: Literal["text", "code", "formula"] = "text"


@dataclass(frozen=True, eq=False)
class Finding:
    """The result of examining an item for one seed.

    verdict    computed from the numbers (see `judge`)
    measured   the number that decides, as plain text of a few words: "√4 = 2"
    statement  one to three plain sentences in markdown with the measured numbers
    draw       theme -> the figure that demonstrates it
    condition  of the verdict "holds if", as plain text that continues the words "holds if": "no key is masked"

    Raises ValueError where a verdict "holds if" has no condition, or another verdict has one.
    """

    verdict: Verdict
    measured: str
    statement: str
    draw: Callable[[ThemeName], Line]
    condition: str = ""

    def __post_init__(self) -> None:
        if (self.verdict == "holds if") != bool(self.condition):
            raise ValueError(f"verdict {self.verdict!r} does not fit the condition {self.condition!r}.")


@dataclass(frozen=True, eq=False)
class Item:
    """One row of a tutorial's table.

    name             in the URL: lower-case words with hyphens
    quotations       what the tutorial says, or the title and labels of its figure
    examine          seed -> finding. It computes everything from the seed, in a few milliseconds, and compiles nothing
    meaning          what the finding means, in markdown; true for every seed
    stage            name of the stage page that it concerns (`dashboard.page_list`), or None
    examine_trained  all-MiniLM-L6-v2 -> finding, for a claim about trained models; replaces `examine` once that model
                     is loaded
    variant          the variant of the recipe that the row describes; None where both agree with it
    """

    name: str
    title: str
    kind: Kind
    quotations: tuple[Quotation, ...]
    examine: Callable[[int], Finding]
    meaning: str
    stage: str | None = None
    examine_trained: Callable[[Encoder], Finding] | None = None
    variant: Variant | None = None


def judge(holds: bool | np.bool_, *, under_condition: bool | np.bool_ = False) -> Verdict:
    """The verdict of a measurement.

    holds            whether the claim is true as the tutorial has it
    under_condition  whether it is true under the condition that the finding names
    """
    if holds:
        return "holds"
    return "holds if" if under_condition else "does not hold"
