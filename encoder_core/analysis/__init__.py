"""Measures of a trace: pure functions of NumPy arrays, each with its formula and its source."""

from encoder_core.analysis.attention import (
    patterns_of,
    rollout,
    visible_keys,
    with_residual,
)
from encoder_core.analysis.matrices import (
    numerical_rank,
    one_hot,
    relative_change,
    root_mean_square,
    singular_values,
)
from encoder_core.analysis.residual_stream import (
    residual_stream,
    travel,
)
from encoder_core.analysis.similarity import (
    SelfMatches,
    Similarity,
    cosines,
    mean_off_diagonal,
    pooled,
    self_matches,
    similarity_by_distance,
)
from encoder_core.analysis.softmax import (
    SoftmaxSteps,
    entropy,
    largest_entropy,
    softmax_steps,
)

__all__ = [
    "SelfMatches",
    "Similarity",
    "SoftmaxSteps",
    "cosines",
    "entropy",
    "largest_entropy",
    "mean_off_diagonal",
    "numerical_rank",
    "one_hot",
    "patterns_of",
    "pooled",
    "relative_change",
    "residual_stream",
    "rollout",
    "root_mean_square",
    "self_matches",
    "similarity_by_distance",
    "singular_values",
    "softmax_steps",
    "travel",
    "visible_keys",
    "with_residual",
]
