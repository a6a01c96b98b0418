"""Measures of a run whose numbers have cells, like the tensors of its trace: entropies, averages, rollout, cosines, and
the logit lens.

They are computed when they are read. Measures with the prefix of a tensor compare its rows, or apply the lens to it.
"""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float

from encoder_core import analysis
from encoder_core.analysis.logit_lens import lens_stream
from encoder_core.blocks import output_logits
from encoder_core.trace import Run

Square = Float[np.ndarray, "*batch row column"]
Measure = Callable[..., Float[np.ndarray, "..."]]  # of a run and a layer

# The axes of each measure; those that no tensor of the trace has are as long as the trace has tokens.
LAYER_MEASURE_AXES = {
    "pattern_entropy": "batch head query",
    "mean_pattern": "batch query key",
    "rollout_step": "batch query key",
    "rollout": "batch query input",
    "resid_post_cosines": "batch seq other",
    "resid_post_lens_stream": "batch seq d_model",
    "resid_post_lens_logits": "batch seq vocab",
    "resid_post_lens_probabilities": "batch seq vocab",
}
MEASURE_AXES = {
    "position_products": "position other_position",
    "embedded_cosines": "batch seq other",
    "output_cosines": "batch seq other",
    "embedded_lens_stream": "batch seq d_model",
    "embedded_lens_logits": "batch seq vocab",
    "embedded_lens_probabilities": "batch seq vocab",
}
COMPARED_TENSORS = {f"{tensor}_cosines": tensor for tensor in ("embedded", "resid_post", "output")}
LENS_TENSORS = ("embedded", "resid_post")  # those that the logit lens reads
LENS_MEASURES = {name for name in LAYER_MEASURE_AXES | MEASURE_AXES if "_lens_" in name}


def measure(run: Run, name: str, layer: int | None) -> Float[np.ndarray, "..."]:
    """The numbers of a measure for all sentences; `layer` is None for measures outside the layers."""
    return _MEASURES[name](run, layer)


def _pattern_entropy(run: Run, layer: int) -> Float[np.ndarray, "batch head query"]:
    """The entropy of each row of attention weights, in bits; dropout can make it negative."""
    return analysis.entropy(run.trace.layers[layer].pattern)


def _mean_pattern(run: Run, layer: int) -> Square:
    """The attention weights averaged over the heads."""
    return np.asarray(run.trace.layers[layer].pattern.mean(axis=1))


def _rollout_step(run: Run, layer: int) -> Square:
    """½ average + ½ I, as in `analysis.mix_with_residual`."""
    return analysis.mix_with_residual(run.trace.layers[layer].pattern)


def _rollout(run: Run, layer: int) -> Square:
    """The product of the steps up to this layer, as in `analysis.rollout`."""
    sentences = range(len(run.trace.real))
    return np.stack([analysis.rollout(run.trace, each, allow_unchained=True)[layer] for each in sentences])


def _position_products(run: Run, _: None) -> Square:
    """The dot product of every pair of positions."""
    return run.trace.position_encoding @ run.trace.position_encoding.T


def _cosines(tensor: str) -> Measure:
    """The cosine of every pair of tokens of a sentence, in a tensor (batch, seq, d_model)."""
    return lambda run, layer: analysis.cosines(_rows(run, tensor, layer), _rows(run, tensor, layer))


def _lens_stream(tensor: str) -> Measure:
    """What the output head reads where the layers end at this stage."""
    return lambda run, layer: lens_stream(run, _rows(run, tensor, layer))


def _lens_logits(tensor: str) -> Measure:
    """The logits of `analysis.logit_lens`."""
    return lambda run, layer: output_logits(lens_stream(run, _rows(run, tensor, layer)), run.edited_parameters)


def _lens_probabilities(tensor: str) -> Measure:
    """Their softmax over the vocabulary."""
    return lambda run, layer: analysis.softmax(_lens_logits(tensor)(run, layer))


def _rows(run: Run, tensor: str, layer: int | None) -> Float[np.ndarray, "batch seq d_model"]:
    return getattr(run.trace if layer is None else run.trace.layers[layer], tensor)


_MEASURES: Mapping[str, Measure] = {
    "pattern_entropy": _pattern_entropy,
    "mean_pattern": _mean_pattern,
    "rollout_step": _rollout_step,
    "rollout": _rollout,
    "position_products": _position_products,
    **{name: _cosines(tensor) for name, tensor in COMPARED_TENSORS.items()},
    **{f"{tensor}_lens_stream": _lens_stream(tensor) for tensor in LENS_TENSORS},
    **{f"{tensor}_lens_logits": _lens_logits(tensor) for tensor in LENS_TENSORS},
    **{f"{tensor}_lens_probabilities": _lens_probabilities(tensor) for tensor in LENS_TENSORS},
}
