"""Measures of traces and arrays: pure functions of NumPy arrays, each with its formula and source."""

from encoder_core.analysis.attention import (
    mix_with_residual,
    rollout,
    stack_patterns,
    visible_keys,
)
from encoder_core.analysis.matrices import (
    numerical_rank,
    one_hot,
    relative_change,
    root_mean_square,
    singular_values,
)
from encoder_core.analysis.residual_stream import (
    residual_change,
    residual_stream,
)
from encoder_core.analysis.similarity import (
    SelfMatches,
    Similarity,
    cosines,
    max_pool,
    mean_off_diagonal,
    self_matches,
    similarity_by_distance,
)
from encoder_core.analysis.softmax import (
    SoftmaxSteps,
    entropy,
    largest_entropy,
    softmax,
    softmax_steps,
)

__all__ = [
    "SelfMatches",
    "Similarity",
    "SoftmaxSteps",
    "cosines",
    "entropy",
    "largest_entropy",
    "max_pool",
    "mean_off_diagonal",
    "mix_with_residual",
    "numerical_rank",
    "one_hot",
    "relative_change",
    "residual_change",
    "residual_stream",
    "rollout",
    "root_mean_square",
    "self_matches",
    "similarity_by_distance",
    "singular_values",
    "softmax",
    "softmax_steps",
    "stack_patterns",
    "visible_keys",
]
