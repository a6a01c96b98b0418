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

from encoder_core.analysis import residual_change
from encoder_core.analysis.language import (
    SENTENCES,
    HeadRoles,
    attention_from,
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
)
from encoder_core.edits.compatible import compatible_edits
from encoder_core.encoder import Encoder
from encoder_core.encoder.compile_ahead import warm_up
from encoder_core.experiments.ablation import ablate_heads, ablate_tokens
from encoder_core.explain.overflow import NumbersTooLarge
from encoder_core.inputs.tokenizer import TokenBatch, WordTokenizer
from encoder_core.recipes import RECIPES, Demo, Note, Recipe, RecipeInputs
from encoder_core.trace import EncoderTrace, LayerTrace, Run

__all__ = [
    "RECIPES",
    "SENTENCES",
    "Demo",
    "Dropout",
    "Edit",
    "Encoder",
    "EncoderConfig",
    "EncoderTrace",
    "HeadFactor",
    "HeadRoles",
    "HideToken",
    "LayerTrace",
    "Note",
    "NumbersTooLarge",
    "Recipe",
    "RecipeInputs",
    "ReplaceToken",
    "ResidualFactor",
    "Run",
    "SetEmbedded",
    "SetScore",
    "SetTokenEmbedding",
    "SetWeight",
    "Temperature",
    "TokenBatch",
    "Unscaled",
    "WordTokenizer",
    "ablate_heads",
    "ablate_tokens",
    "attention_from",
    "compatible_edits",
    "head_roles",
    "residual_change",
    "same_word_similarity",
    "sentence_vectors",
    "shared_words",
    "strongest_heads",
    "warm_up",
]
