"""Measures of attention heads and token vectors in relation to words, in traces of any encoder.

They apply to trained and random encoders. A random encoder is the control.
"""

from encoder_core.analysis.language.head_pairs import PairKind, PairWeights, head_pairs, pair_kinds, pair_weights
from encoder_core.analysis.language.head_roles import HeadRoles, head_roles, role_keys
from encoder_core.analysis.language.query_attention import (
    StrongHead,
    are_equal_weights,
    attention_from,
    strongest_heads,
)
from encoder_core.analysis.language.same_word import (
    SharedWord,
    different_words_similarity,
    same_word_similarity,
    shared_words,
)
from encoder_core.analysis.language.sentence_vectors import sentence_vectors
from encoder_core.analysis.language.sentences import SENTENCES
from encoder_core.analysis.language.similar_contexts import (
    ContextComparison,
    ContextVectors,
    SimilarContext,
    SimilarContexts,
    compare_contexts,
    context_vectors,
    nearest_contexts,
    same_word_shares,
)
from encoder_core.analysis.language.token_kinds import is_punctuation, special_tokens_and_query, word_mask

__all__ = [
    "SENTENCES",
    "ContextComparison",
    "ContextVectors",
    "HeadRoles",
    "PairKind",
    "PairWeights",
    "SharedWord",
    "SimilarContext",
    "SimilarContexts",
    "StrongHead",
    "are_equal_weights",
    "attention_from",
    "compare_contexts",
    "context_vectors",
    "different_words_similarity",
    "head_pairs",
    "head_roles",
    "is_punctuation",
    "nearest_contexts",
    "pair_kinds",
    "pair_weights",
    "role_keys",
    "same_word_shares",
    "same_word_similarity",
    "sentence_vectors",
    "shared_words",
    "special_tokens_and_query",
    "strongest_heads",
    "word_mask",
]
