"""Ablation: the change of the output without one head, or without one token."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.edits import Edit, HeadFactor, HideToken
from encoder_core.edits.effects import require_edits
from encoder_core.encoder import Encoder, require_encoder
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.parsing import Inputs


def ablate_heads(
    encoder: Encoder, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = (), sentence: int = 0
) -> Float[np.ndarray, "layer head seq"]:
    """The effect of each head on each token: |output without the head - output|, in float64.

    One head at a time is switched off, z_h = 0, in addition to `edits`; all later computation uses the changed stream
    (zero ablation: Michel, Levy & Neubig 2019, section 3.2). One run per head, from the layer of the head on. Raises
    ValueError for arguments that `Encoder.outputs_with_edits` refuses.
    """
    require_encoder(encoder)
    layers, heads = encoder.config.num_layers, encoder.config.num_heads
    edit_lists = [[HeadFactor(layer, head, 0.0)] for layer in range(layers) for head in range(heads)]
    effects = _effects(encoder.outputs_with_edits(inputs, mask, edits, edit_lists=edit_lists, sentence=sentence))
    return effects.reshape(layers, heads, -1)


def ablate_tokens(
    encoder: Encoder, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = (), sentence: int = 0
) -> Float[np.ndarray, "token seq"]:
    """The effect of each token on each token: |output with the token hidden - output|, in float64.

    One token at a time is hidden as key, in all heads and layers, in addition to `edits`: no token attends to it,
    except where `edits` contain a `SetScore` for this key. Its row stays in the stream (tokens would still attend to a
    row of zeros). Row: the hidden token; column: the token whose output changes. One run per token. Raises ValueError
    for arguments that `Encoder.outputs_with_edits` refuses.
    """
    require_encoder(encoder)
    edits = require_edits(edits)
    seq = encoder.outputs_with_edits(inputs, mask, edits, edit_lists=[], sentence=sentence).shape[1]
    edit_lists = [[HideToken(sentence, token)] for token in range(seq)]
    return _effects(encoder.outputs_with_edits(inputs, mask, edits, edit_lists=edit_lists, sentence=sentence))


def _effects(outputs: Float[np.ndarray, "run seq d_model"]) -> Float[np.ndarray, "ablation seq"]:
    """The distance of each output from the first, which has no ablation."""
    reference, ablated = outputs[0].astype(float), outputs[1:].astype(float)
    return np.asarray(np.linalg.norm(ablated - reference, axis=-1))
