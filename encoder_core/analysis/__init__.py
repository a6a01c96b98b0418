"""Measures of traces and arrays: pure functions of NumPy arrays, each with its formula and source."""

from encoder_core.analysis.attention import (
    later_key_share,
    mix_with_residual,
    rollout,
    rollout_of_weights,
    stack_patterns,
    visible_keys,
)
from encoder_core.analysis.comparable import attends_to_padding
from encoder_core.analysis.logit_attribution import (
    LogitAttribution,
    NeuronContributions,
    logit_attribution,
    neuron_contributions,
)
from encoder_core.analysis.logit_lens import logit_lens
from encoder_core.analysis.matrices import (
    numerical_rank,
    one_hot,
    relative_change,
    root_mean_square,
    singular_values,
)
from encoder_core.analysis.output_head import has_predictions
from encoder_core.analysis.predictions import TopTokens, rank_of, top_tokens
from encoder_core.analysis.principal_plane import PrincipalPlane, principal_plane
from encoder_core.analysis.residual_steps import (
    ResidualStage,
    StepPart,
    residual_stages,
    residual_step,
    stage_vectors,
)
from encoder_core.analysis.residual_stream import residual_change, residual_stream
from encoder_core.analysis.similarity import (
    GroupCosines,
    SelfMatches,
    Similarity,
    cosines,
    cosines_by_group,
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
    "GroupCosines",
    "LogitAttribution",
    "NeuronContributions",
    "PrincipalPlane",
    "ResidualStage",
    "SelfMatches",
    "Similarity",
    "SoftmaxSteps",
    "StepPart",
    "TopTokens",
    "attends_to_padding",
    "cosines",
    "cosines_by_group",
    "entropy",
    "has_predictions",
    "largest_entropy",
    "later_key_share",
    "logit_attribution",
    "logit_lens",
    "mean_off_diagonal",
    "mix_with_residual",
    "neuron_contributions",
    "numerical_rank",
    "one_hot",
    "principal_plane",
    "rank_of",
    "relative_change",
    "residual_change",
    "residual_stages",
    "residual_step",
    "residual_stream",
    "rollout",
    "rollout_of_weights",
    "root_mean_square",
    "self_matches",
    "similarity_by_distance",
    "singular_values",
    "softmax",
    "softmax_steps",
    "stack_patterns",
    "stage_vectors",
    "top_tokens",
    "visible_keys",
]
