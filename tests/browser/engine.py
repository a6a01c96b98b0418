"""What the pages must show: the same settings, given to the engine itself."""

from functools import cache

import numpy as np

from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder, EncoderConfig, EncoderTrace, WordTokenizer


@cache
def trace_of(
    text: str = DEFAULT_TEXT, *, seed: int = 0, d_model: int = 64, heads: int = 4, d_ff: int = 256, layers: int = 4
) -> EncoderTrace:
    """The forward pass of the sidebar's encoder: post-norm, padding masked, everything else as in the sidebar."""
    sentences = text.split("\n")
    tokenizer = WordTokenizer.from_texts(sentences, max_len=64)
    config = EncoderConfig(
        vocab_size=len(tokenizer), max_len=64, d_model=d_model, num_heads=heads, d_ff=d_ff, num_layers=layers
    )
    return Encoder.random(config, seed, tokenizer=tokenizer).trace(sentences, "padding")


def scaled_scores(trace: EncoderTrace, layer: int, head: int) -> list[np.ndarray]:
    """The five heatmaps of the page Scaled scores, layer and head counted from 1."""
    part = trace.layers[layer - 1]
    q, k, dots, scores = (x[0, head - 1] for x in (part.q, part.k, part.dot_products, part.scores))
    return [q, k.T, dots, dots / np.sqrt(q.shape[1]), scores]


def softmax(trace: EncoderTrace, layer: int, head: int) -> list[np.ndarray]:
    """The heatmap of the page Softmax weights; a masked cell is empty."""
    return [np.where(trace.mask[0, 0], trace.layers[layer - 1].pattern[0, head - 1], np.nan)]


HEATMAPS = {"scaled_scores": scaled_scores, "softmax": softmax}
