"""The data types of a derivation, for a page to display or a notebook to print."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from encoder_core.explain.cell import Cell
from encoder_core.support.validation import require_integer, require_items


class Operand(NamedTuple):
    """A number in a calculation: its name, its value, and its cell where it is one of a tensor."""

    name: str
    value: float
    cell: Cell | None = None


Summand = tuple[tuple[Operand, ...], float]  # the operands and the value of one summand


class Term(NamedTuple):
    """One term of a sum.

    operands     two factors, one number, or the two numbers of a sum whose norm is computed
    value        value of the term: the product, the number itself, or the result of the formula of the step
    running_sum  the sum up to and including this term
    """

    operands: tuple[Operand, ...]
    value: float
    running_sum: float


class Step(NamedTuple):
    """A named intermediate value. For a sum, `terms` are its terms in order: the last running sum is the value."""

    name: str
    formula: str
    value: float
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """The derivation of one number of a trace, in float64, from tensors of the trace and parameters.

    cell         address of the number
    description  name and place of the number; sentences, layers, heads and tokens count from 1, as on screen
    formula      LaTeX
    steps        the calculation, in order; empty for inputs and parameters that no edit sets, and for outputs that the
                 layers of the trace do not determine
    trace_value  the number in the trace
    scale        the largest finite magnitude of its tensor (1 where that is 0)
    method       the method of this derivation, one of `methods`
    note         the reason why there are no steps; empty otherwise
    """

    cell: Cell
    description: str
    formula: str
    steps: tuple[Step, ...]
    trace_value: float
    scale: float
    method: str
    methods: tuple[str, ...]
    note: str = ""

    @property
    def result(self) -> float | None:
        """The value of the last step; None where there are no steps."""
        return self.steps[-1].value if self.steps else None

    @cached_property
    def operand_cells(self) -> frozenset[Cell]:
        """The cells of all operands."""
        operands = (operand for step in self.steps for term in step.terms for operand in term.operands)
        return frozenset(operand.cell for operand in operands if operand.cell)

    def step(self, which: int | str) -> Step:
        """A step by its index or by its name. Raises ValueError where there is none."""
        for index, step in enumerate(self.steps):
            if which in (index, step.name):
                return step
        allowed = ", ".join(f"{index} or {step.name!r}" for index, step in enumerate(self.steps)) or "none"
        raise ValueError(f"step={which!r} is unknown: allowed are {allowed}.")

    @property
    def difference(self) -> float | None:
        """|result - trace_value| / scale; 0 where both are the same infinity, None where there are no steps."""
        if self.result is None:
            return None
        return 0.0 if self.result == self.trace_value else abs(self.result - self.trace_value) / self.scale

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the step with the most terms, such as a dot product, the row sum of a softmax or a mean."""
        return max((step.terms for step in self.steps), key=len, default=())


class LargestFirst(NamedTuple):
    """The largest terms, with their running sums in this order, and the number and the sum of the other terms."""

    largest: tuple[Term, ...]
    others: int
    others_sum: float


def largest_first(terms: Sequence[Term], count: int) -> LargestFirst:
    """The `count` terms with the largest magnitudes, largest first, and the sum of the others.

    Terms of equal magnitude keep their order. Raises ValueError for what is no list of terms, and where `count` is
    below 0.
    """
    terms = require_items("terms", terms, Term, "lists of terms, such as those of a derivation")
    require_integer("count", count, 0)
    ordered = sorted(terms, key=lambda term: -abs(term.value))
    largest = accumulate_terms([(term.operands, term.value) for term in ordered[:count]])
    return LargestFirst(largest, len(ordered[count:]), sum((term.value for term in ordered[count:]), 0.0))


def accumulate_terms(summands: Sequence[Summand]) -> tuple[Term, ...]:
    """The terms of a sum with their running sums."""
    running_sums = accumulate(value for _, value in summands)
    return tuple(
        Term(operands, value, running_sum)
        for (operands, value), running_sum in zip(summands, running_sums, strict=True)
    )


def sum_step(name: str, formula: str, *parts: Sequence[Summand]) -> Step:
    """The step that adds up all summands, those of the first part first."""
    terms = accumulate_terms([summand for part in parts for summand in part])
    return Step(name, formula, terms[-1].running_sum, terms)


def product_summands(left: Sequence[Operand], right: Sequence[Operand]) -> list[Summand]:
    """The summands left_i right_i."""
    return [((a, b), a.value * b.value) for a, b in zip(left, right, strict=True)]


def single_summands(operands: Sequence[Operand], function: Callable[[float], float] = float) -> list[Summand]:
    """One summand for each operand: its value, or `function` of its value."""
    return [((operand,), function(operand.value)) for operand in operands]
