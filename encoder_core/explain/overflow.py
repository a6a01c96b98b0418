"""Edits that make numbers too large for float32 are refused: what is shown would be infinite, or silently wrong."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from encoder_core.explain.sublayers import NormName, add_and_norm
from encoder_core.trace import EncoderTrace, Run

# Where the squares of a tensor add up to less, nothing that is computed from it overflows: its largest number is below
# 1e14, below 1e17 after the largest factor, and a norm adds up squares below 1e34 for each row. float32 ends at 3.4e38.
_HARMLESS = 1e28
_NOT_CHECKED = {"scores", "out_kernel"}  # of masked scores -inf is right; a weight is at most 1e6


class NumbersTooLarge(ValueError):
    """The edits of a run make numbers too large for float32."""


def check_numbers(run: Run) -> None:
    """Raises NumbersTooLarge where a number of the trace is not finite, other than a masked score, or where a norm
    added up squares that were not.

    Takes one dot product a tensor, as long as no number is extreme.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if all(_squares(array) < _HARMLESS for _, array in _tensors(run)):
            return
    for place, array in _tensors(run):
        if not np.isfinite(array).all():
            raise _too_large(place)
    for place, rows in _rows_of_norms(run):
        if not _fits((rows.astype(float) ** 2).sum(axis=-1)):
            raise _too_large(f"the sum of the squares of {place}")


def _too_large(place: str) -> NumbersTooLarge:
    return NumbersTooLarge(f"These edits make numbers too large for 32-bit floats: {place} exceeded 3.4e38.")


def _tensors(run: Run) -> Iterator[tuple[str, Float[np.ndarray, "..."]]]:
    """Every tensor that is computed, with its name and layer, in the order of the forward pass."""
    trace = run.trace
    yield from _present(trace, "scaled_embedding", "embedding_sum", "embedded")
    for number, layer in enumerate(trace.layers):
        for name, array in zip(layer._fields, layer, strict=True):
            if name not in _NOT_CHECKED:
                yield f"{name} of layer={number}", array
    yield from _present(trace, "output", "logits")


def _present(trace: EncoderTrace, *names: str) -> Iterator[tuple[str, Float[np.ndarray, "..."]]]:
    """Tensors before and after the blocks; not every model has all of them."""
    return ((name, getattr(trace, name)) for name in names if getattr(trace, name) is not None)


def _rows_of_norms(run: Run) -> Iterator[tuple[str, Float[np.ndarray, "batch seq d_model"]]]:
    """The rows that a norm reads, and those whose length a page shows, with words for them."""
    trace = run.trace
    yield "a row of embedded", trace.embedded if trace.embedding_sum is None else trace.embedding_sum
    names: tuple[NormName, ...] = ("norm1", "norm2")
    for number, layer in enumerate(trace.layers):
        for name in names:
            yield f"a row that {name} of layer={number} reads", add_and_norm(run, number, name).norm_in
        yield f"a row of resid_post of layer={number}", layer.resid_post


def _squares(array: Float[np.ndarray, "..."]) -> float:
    """The squares of all numbers added up; in float32, so that it is not finite where one is not."""
    flat = array.ravel(order="K")  # no copy, in whatever order the axes lie in memory
    return float(np.dot(flat, flat))


def _fits(numbers: Float[np.ndarray, "..."]) -> bool:
    """Whether all of them are finite in float32, with a margin for rounding."""
    return bool((np.abs(numbers) < np.finfo(np.float32).max / 2).all())
