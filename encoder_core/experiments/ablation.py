"""Ablation: how far the output moves without a head, or without a token. Each is a run of the one compiled program."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.edits import Edit, HeadFactor, HideToken
from encoder_core.encoder import Encoder
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.parsing import Inputs


def ablate_heads(
    encoder: Encoder, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = (), sentence: int = 0
) -> Float[np.ndarray, "layer head seq"]:
    """The effect of each head: |output without it - output| of each token, in float64.

    One head at a time is switched off, z_h = 0, the others work on what the stream has become (zero ablation: Michel,
    Levy & Neubig 2019, section 3.2). On top of `edits`. One run of one sentence a head, from the head's layer on.
    """
    layers, heads = encoder.config.num_layers, encoder.config.num_heads
    what_ifs = [[HeadFactor(layer, head, 0.0)] for layer in range(layers) for head in range(heads)]
    effects = _effects(encoder.outputs(inputs, mask, edits, what_ifs=what_ifs, sentence=sentence))
    return effects.reshape(layers, heads, -1)


def ablate_tokens(
    encoder: Encoder, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = (), sentence: int = 0
) -> Float[np.ndarray, "token seq"]:
    """The effect of each token on each token: |output with it hidden - output|, in float64.

    One token at a time is masked as key, in all heads and layers, so that no token attends to it; its own row is left
    in the stream (a zero row instead would be a token of its own, which others would still attend to). Row: the token
    hidden; column: the token whose output changes. On top of `edits`, one run of one sentence a token.
    """
    seq = encoder.outputs(inputs, mask, edits, what_ifs=[], sentence=sentence).shape[1]
    what_ifs = [[HideToken(sentence, token)] for token in range(seq)]
    return _effects(encoder.outputs(inputs, mask, edits, what_ifs=what_ifs, sentence=sentence))


def _effects(outputs: Float[np.ndarray, "run seq d_model"]) -> Float[np.ndarray, "ablation seq"]:
    """How far each output is from the first, which is whole."""
    whole, without = outputs[0].astype(float), outputs[1:].astype(float)
    return np.asarray(np.linalg.norm(without - whole, axis=-1))
