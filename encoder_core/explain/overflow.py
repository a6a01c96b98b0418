"""Refuse what makes numbers too large for float32: without an error, others would be infinite or wrong."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from encoder_core.explain.sublayers import NormName, add_and_norm
from encoder_core.trace import EncoderTrace, Run

# A tensor whose sum of squares is smaller causes no overflow: its largest number is below 1e14, or below 1e17 after the
# largest factor, and a norm adds up squares below 1e34 for each row. The largest float32 is 3.4e38.
_SAFE_SQUARES = 1e28
_NOT_CHECKED = {"scores", "out_kernel"}  # masked scores are -inf; edited weights are at most 1e6


class NumbersTooLarge(ValueError):
    """The edits, the embeddings or the parameters of a run make numbers too large for float32."""


def check_numbers(run: Run, *, large_parameters: bool = False) -> None:
    """Raises NumbersTooLarge where a number of the trace other than a masked score is not finite, or where the sum of
    squares in a norm is not finite.

    large_parameters  whether the message names the parameters as a cause

    The usual case takes one dot product per tensor.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if all(_squares(array) < _SAFE_SQUARES for _, array in _tensors(run)):
            return
    for place, array in _tensors(run):
        if not np.isfinite(array).all():
            raise _too_large(run, large_parameters, place)
    for place, rows in _rows_of_norms(run):
        if not _fits((rows.astype(float) ** 2).sum(axis=-1)):
            raise _too_large(run, large_parameters, f"the sum of the squares of {place}")


def _too_large(run: Run, large_parameters: bool, place: str) -> NumbersTooLarge:
    possible = (("parameters", large_parameters), ("embeddings", run.trace.ids is None), ("edits", run.edits))
    causes = [name for name, is_one in possible if is_one]
    return NumbersTooLarge(
        f"These {' and '.join(causes)} make numbers too large for 32-bit floats: {place} exceeded 3.4e38."
    )


def _tensors(run: Run) -> Iterator[tuple[str, Float[np.ndarray, "..."]]]:
    """The name (with the layer) and array of every computed tensor, in the order of the forward pass."""
    trace = run.trace
    yield from _existing(trace, "scaled_embedding", "embedding_sum", "embedded")
    for number, layer in enumerate(trace.layers):
        for name, array in zip(layer._fields, layer, strict=True):
            if name not in _NOT_CHECKED:
                yield f"{name} of layer={number}", array
    yield from _existing(trace, "output", "logits")


def _existing(trace: EncoderTrace, *names: str) -> Iterator[tuple[str, Float[np.ndarray, "..."]]]:
    """The name and array of the tensors that this trace has."""
    return ((name, getattr(trace, name)) for name in names if getattr(trace, name) is not None)


def _rows_of_norms(run: Run) -> Iterator[tuple[str, Float[np.ndarray, "batch seq d_model"]]]:
    """Descriptions and rows of the inputs of all norms, and of other rows whose length a page shows."""
    trace = run.trace
    yield "a row of embedded", trace.embedded if trace.embedding_sum is None else trace.embedding_sum
    names: tuple[NormName, ...] = ("norm1", "norm2")
    for number, layer in enumerate(trace.layers):
        for name in names:
            yield f"a row that {name} of layer={number} reads", add_and_norm(run, number, name).norm_in
        yield f"a row of resid_post of layer={number}", layer.resid_post


def _squares(array: Float[np.ndarray, "..."]) -> float:
    """The sum of all squares in float32, which is not finite where a number is not finite."""
    flat = array.ravel(order="K")  # no copy, whatever the memory order of the axes is
    return float(np.dot(flat, flat))


def _fits(numbers: Float[np.ndarray, "..."]) -> bool:
    """True where all numbers are finite in float32, with a margin for rounding."""
    return bool((np.abs(numbers) < np.finfo(np.float32).max / 2).all())
