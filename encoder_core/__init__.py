"""A Transformer encoder whose intermediate results are all visible.

    from encoder_core import Encoder, EncoderConfig

    encoder = Encoder.random(EncoderConfig(d_model=64, num_heads=8, d_ff=256, num_layers=6), seed=0)
    trace = encoder.trace("The black cat jumped on the sofa")
    trace.layers[3].pattern[0, 1]        # (query, key) attention weights of sentence 0, head 1

Axis names, the same in all modules:

    batch      sentences                     head     attention heads
    seq        tokens of a sentence          d_head   width of one head
    query      tokens that attend (rows)      d_model  width of the residual stream
    key        tokens attended to (columns)   qkv_dim  width of all heads together
    layer      encoder layers                d_ff     hidden width of the feed-forward network
    vocab      entries of the vocabulary
"""

from encoder_core.analysis import (
    LogitAttribution,
    PrincipalPlane,
    TopTokens,
    cosines,
    entropy,
    logit_attribution,
    logit_lens,
    principal_plane,
    residual_change,
    residual_stream,
    rollout,
    stack_patterns,
    top_tokens,
)
from encoder_core.analysis.language import (
    SENTENCES,
    HeadRoles,
    attention_from,
    different_words_similarity,
    head_roles,
    same_word_similarity,
    sentence_vectors,
    shared_words,
    strongest_heads,
)
from encoder_core.config import EncoderConfig
from encoder_core.edits import (
    Dropout,
    Edit,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
    format_edit,
    parse_edit,
)
from encoder_core.edits.compatible import compatible_edits
from encoder_core.encoder import Encoder
from encoder_core.encoder.compile_ahead import warm_up
from encoder_core.engine.gradients import LayerGradients, layer_gradients
from encoder_core.experiments.ablation import ablate_heads, ablate_tokens
from encoder_core.explain import Derivation, derive
from encoder_core.explain.overflow import NumbersTooLarge
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.tokenizer import TokenBatch, WordTokenizer
from encoder_core.pretrained import Neighbour, PretrainedError, nearest_words
from encoder_core.recipes import RECIPES, Demo, Note, Recipe, RecipeInputs
from encoder_core.trace import EncoderTrace, LayerTrace, Run, SentenceTrace

__all__ = [
    "RECIPES",
    "SENTENCES",
    "CustomMask",
    "Demo",
    "Derivation",
    "Dropout",
    "Edit",
    "Encoder",
    "EncoderConfig",
    "EncoderTrace",
    "HeadFactor",
    "HeadRoles",
    "HideToken",
    "LayerGradients",
    "LayerTrace",
    "LogitAttribution",
    "Neighbour",
    "Note",
    "NumbersTooLarge",
    "PretrainedError",
    "PrincipalPlane",
    "Recipe",
    "RecipeInputs",
    "ReplaceToken",
    "ResidualFactor",
    "Run",
    "SentenceTrace",
    "SetEmbedded",
    "SetScore",
    "SetTokenEmbedding",
    "SetWeight",
    "Temperature",
    "TokenBatch",
    "TopTokens",
    "Unscaled",
    "WordTokenizer",
    "ablate_heads",
    "ablate_tokens",
    "attention_from",
    "compatible_edits",
    "cosines",
    "derive",
    "different_words_similarity",
    "entropy",
    "format_edit",
    "head_roles",
    "layer_gradients",
    "logit_attribution",
    "logit_lens",
    "nearest_words",
    "parse_edit",
    "principal_plane",
    "residual_change",
    "residual_stream",
    "rollout",
    "same_word_similarity",
    "sentence_vectors",
    "shared_words",
    "stack_patterns",
    "strongest_heads",
    "top_tokens",
    "warm_up",
]
