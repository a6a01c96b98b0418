"""The predictions of an output head: the most probable tokens of the vocabulary at each position."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis.softmax import softmax
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_index, require_integer, require_numbers


@compared_by_identity
class TopTokens(NamedTuple):
    """The most probable tokens of each row of logits, most probable first.

    ids            of the tokens in the vocabulary
    probabilities  softmax of the logits over the whole vocabulary
    """

    ids: Int[np.ndarray, "*row rank"]
    probabilities: Float[np.ndarray, "*row rank"]


def top_tokens(logits: Float[np.ndarray, "*row vocab"], count: int = 5) -> TopTokens:
    """The `count` most probable tokens of each row, or all tokens of a smaller vocabulary.

    p_v = exp(logit_v) / sum_w exp(logit_w). Of tokens with equal logits, the one with the smaller id comes first.
    A logit of -inf excludes a token. Raises ValueError for logits that are no numbers, NaN or +inf, and where `count`
    is not a whole number from 1.
    """
    require_integer("count", count, 1)
    logits = _ranked(logits)
    ids = np.argsort(-logits, axis=-1, kind="stable")[..., :count]
    return TopTokens(ids, np.take_along_axis(softmax(logits), ids, axis=-1))


def rank_of(logits: Float[np.ndarray, "*row vocab"], token_id: int) -> Int[np.ndarray, "*row"]:
    """The rank of one token among all tokens of the vocabulary: 1 for the largest logit; ties get the better rank.

    Raises ValueError for logits that are no numbers, NaN or +inf, and where there is no such token.
    """
    logits = _ranked(logits)
    require_index("token_id", token_id, logits.shape[-1])
    return np.asarray(1 + (logits > logits[..., token_id, None]).sum(axis=-1))


def _ranked(logits: Float[np.ndarray, "*row vocab"]) -> Float[np.ndarray, "*row vocab"]:
    """The logits as an array of floating-point numbers. NaN is refused, because it has no rank, and +inf, because its
    softmax is NaN."""
    logits = require_numbers("logits", logits, "*row vocab")
    logits = logits if logits.dtype.kind == "f" else logits.astype(float)
    if not (logits < np.inf).all():  # NaN, too
        raise invalid_value("logits", logits, "numbers below infinity; -inf excludes a token")
    return logits
