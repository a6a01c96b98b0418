"""What a derivation is: a number's arithmetic as data, for a page to lay out or a notebook to print."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from encoder_core.explain.cell import Cell


class Operand(NamedTuple):
    """A number that is computed with: its name, its value, and, where it is on show somewhere, its cell."""

    name: str
    value: float
    cell: Cell | None = None


Added = tuple[tuple[Operand, ...], float]  # operands, and what they add to a sum


class Term(NamedTuple):
    """One term of a sum.

    operands  what it is made of: two factors, one number, or, where a norm reads a sum, the two that are added
    adds      what it adds to the sum: the product, the number itself, or what the step's formula makes of them
    running   the sum up to and with this term
    """

    operands: tuple[Operand, ...]
    adds: float
    running: float


class Step(NamedTuple):
    """A named value on the way; where it is a sum, its terms in order, the last of which runs up to the value."""

    name: str
    formula: str
    value: float
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """How one number of a trace comes about, in float64, from the tensors that the trace shows.

    cell     which number
    words    what it is and where it stands; sentences, layers, heads and tokens count from 1, as on screen
    formula  LaTeX
    steps    what is computed, in order; none where the number is given, or cannot be derived from what is shown
    shown    the number in the trace
    scale    the largest finite magnitude of its tensor (1 where that is 0)
    way      which of the ways to the number this is, one of `ways`
    note     why there are no steps; else empty
    """

    cell: Cell
    words: str
    formula: str
    steps: tuple[Step, ...]
    shown: float
    scale: float
    way: str
    ways: tuple[str, ...]
    note: str = ""

    @property
    def result(self) -> float | None:
        """The value of the last step; None where there are no steps."""
        return self.steps[-1].value if self.steps else None

    @property
    def difference(self) -> float | None:
        """|result - shown| / scale; 0 where both are the same infinity, None where there are no steps."""
        if self.result is None:
            return None
        return 0.0 if self.result == self.shown else abs(self.result - self.shown) / self.scale

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the step that has most of them: of the dot product, of the row sum of a softmax, of a mean."""
        return max((step.terms for step in self.steps), key=len, default=())


class LargestFirst(NamedTuple):
    """The largest terms, with their running sum in this order, and how many others there are, with their sum."""

    largest: tuple[Term, ...]
    folded: int
    folded_sum: float


def largest_first(terms: Sequence[Term], count: int) -> LargestFirst:
    """The `count` terms of the largest magnitude, largest first, equal ones in order; the rest folded into one sum.

    Raises ValueError where count is below 0.
    """
    if count < 0:
        raise ValueError(f"count={count} must be at least 0.")
    ordered = sorted(terms, key=lambda term: -abs(term.adds))
    largest = running_sum([(term.operands, term.adds) for term in ordered[:count]])
    return LargestFirst(largest, len(ordered[count:]), sum((term.adds for term in ordered[count:]), 0.0))


def running_sum(added: Sequence[Added]) -> tuple[Term, ...]:
    """Terms from their operands and what they add, with the running sum."""
    running, terms = 0.0, []
    for operands, adds in added:
        running += adds
        terms.append(Term(operands, adds, running))
    return tuple(terms)


def sums(name: str, formula: str, *parts: Sequence[Added]) -> Step:
    """The step that adds up the parts, one after another."""
    terms = running_sum([added for part in parts for added in part])
    return Step(name, formula, terms[-1].running, terms)


def products(left: Sequence[Operand], right: Sequence[Operand]) -> list[Added]:
    """left_i right_i for each i."""
    return [((a, b), a.value * b.value) for a, b in zip(left, right, strict=True)]


def each(operands: Sequence[Operand], adds: Callable[[float], float] = float) -> list[Added]:
    """Each operand by itself, or what `adds` makes of it."""
    return [((operand,), adds(operand.value)) for operand in operands]
