"""Recompute each stage in float64 NumPy from the tensors of the trace, and compare the results with the trace.

Every function returns the largest difference, as a fraction of the largest magnitude of the recomputed tensor. The
recomputation includes the edits and the dropout of the run. Cells that edits set are compared separately with the
values that were set, because the fraction for the other cells would be small beside a large value.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import logit_lens, one_hot, residual_stream, stack_patterns
from encoder_core.blocks import output_logits
from encoder_core.config import embedding_factors, require_chained_layers
from encoder_core.edits.effects import CellValues
from encoder_core.explain import sublayers
from encoder_core.explain.first_input import embedding_norm
from encoder_core.explain.sublayers import NormName
from encoder_core.trace import Run


def difference(traced: Float[np.ndarray, "..."], recomputed: Float[np.ndarray, "..."]) -> float:
    """max |traced - recomputed| / max |recomputed| over the finite cells, inf where the others differ."""
    finite = np.isfinite(recomputed)
    same = np.array_equal(traced[~finite], recomputed[~finite], equal_nan=True)
    if not same or not np.isfinite(traced[finite]).all():
        return float("inf")
    if not finite.any():
        return 0.0
    scale = np.abs(recomputed[finite]).max() or 1.0
    return float(np.abs(traced[finite] - recomputed[finite]).max() / scale)


def embedding(run: Run) -> float:
    """The looked-up rows as one-hot vectors times the table, and the rows times the embedding scale.

    Only ids that occur have a column in the one-hot vectors. For embeddings as inputs, only the scaled rows.
    """
    trace, rows = run.trace, run.trace.token_embedding.astype(float)
    if trace.ids is not None:
        used_ids, columns = np.unique(trace.ids, return_inverse=True)
        table = run.edited_parameters["token_embedding"][used_ids].astype(float)
        rows = one_hot(columns.reshape(trace.ids.shape), len(used_ids)) @ table
    scale = embedding_factors(run.config.d_model)[run.config.embedding_scale]
    return max(difference(trace.token_embedding, rows), difference(trace.scaled_embedding, rows * scale))


def positions(run: Run) -> float:
    """The scaled embedding plus the position encoding, and the embedding norm of the sum in the trace, if any."""
    trace, sum_difference = run.trace, 0.0
    total = trace.scaled_embedding.astype(float) + trace.position_encoding
    if trace.embedding_sum is not None:
        sum_difference, total = difference(trace.embedding_sum, total), trace.embedding_sum
    norm = embedding_norm(run, total)
    embedded = run.apply_dropout(total if norm is None else norm.output, "embedded")
    return max(sum_difference, _difference_with_edits(trace.embedded, embedded, run.effects.embedded))


def projections(run: Run, layer: int) -> float:
    """The queries, keys and values of all heads: x W + b."""
    tensors = run.trace.layers[layer]
    return max(
        difference(traced, sublayers.projection(tensors.attn_in, run, layer, part))
        for traced, part in zip((tensors.q, tensors.k, tensors.v), sublayers.PROJECTIONS, strict=True)
    )


def scores(run: Run, layer: int) -> float:
    """The dot products and the scaled and masked scores of all heads."""
    tensors = run.trace.layers[layer]
    dots = np.einsum("bhqd,bhkd->bhqk", tensors.q.astype(float), tensors.k.astype(float))
    edited = run.effects.cell_values("scores", layer)
    masked = sublayers.masked_scores(dots, run, layer)
    return max(difference(tensors.dot_products, dots), _difference_with_edits(tensors.scores, masked, edited))


def softmax(run: Run, layer: int) -> float:
    """The attention weights of all heads: softmax of the scores divided by the temperature, then dropout."""
    tensors = run.trace.layers[layer]
    return difference(tensors.pattern, sublayers.attention_weights(tensors.scores, run, layer))


def weighted_values(run: Run, layer: int) -> float:
    """pattern V of all heads, each times its factor."""
    tensors = run.trace.layers[layer]
    return difference(tensors.z, sublayers.weighted_values(tensors.pattern, tensors.v, run, layer))


def multi_head(run: Run, layer: int) -> float:
    """z of all heads side by side, and the sum over the heads of z_h W_O,h, plus the bias."""
    tensors, parameters, name = run.trace.layers[layer], run.edited_parameters, f"layers.{layer}.attention.out"
    batch, heads, seq, d_head = tensors.z.shape
    concat = tensors.z.swapaxes(1, 2).reshape(batch, seq, heads * d_head).astype(float)
    kernels = parameters[f"{name}.kernel"].reshape(heads, d_head, -1).astype(float)
    attn_out = np.einsum("bhsd,hdm->bsm", tensors.z.astype(float), kernels) + parameters.get(f"{name}.bias", 0.0)
    attn_out = run.apply_dropout(attn_out, "attn_out", layer)
    return max(difference(tensors.concat, concat), difference(tensors.attn_out, attn_out))


def add_and_norm(run: Run, layer: int) -> float:
    """Both residual sums and both norms of a layer, for the last layer also the final norm.

    The final norm is left out with attention_read_out="input", unless there is one layer only: the output is then not
    computed from the layers of the trace.
    """
    names: list[NormName] = ["norm1", "norm2"]
    last = len(run.trace.layers) - 1
    if run.config.final_norm and run.config.has_chained_layers and layer == last:
        names.append("final_norm")
    differences = []
    for name in names:
        tensors = sublayers.add_and_norm(run, layer, name)
        scale, shift = sublayers.norm_parameters(run.edited_parameters, layer, name)
        norm_out = sublayers.layer_norm_steps(tensors.norm_in, scale, shift, run.config.norm_eps).output
        differences.append(difference(tensors.norm_out, norm_out))
        if tensors.residual is not None and tensors.sublayer is not None and tensors.total is not None:
            residual = run.residual_factor(layer, sublayers.SUBLAYER_OF_NORM[name]) * tensors.residual.astype(float)
            differences.append(difference(tensors.total, residual + tensors.sublayer))
    return max(differences)


def feed_forward(run: Run, layer: int) -> float:
    """The three tensors of the feed-forward network."""
    tensors, config = run.trace.layers[layer], run.config
    apply_dropout = partial(run.apply_dropout, layer=layer)
    recomputed = sublayers.feed_forward_steps(
        tensors.mlp_in, run.edited_parameters, layer, config.activation, config.activation_after, apply_dropout
    )
    return max(
        difference(tensors.mlp_pre, recomputed.pre),
        difference(tensors.mlp_act, recomputed.act),
        difference(tensors.mlp_out, recomputed.out),
    )


def encoder_layer(run: Run, layer: int, sentence: int) -> float:
    """The output of a layer for one sentence, recomputed from the input of the layer."""
    tensors = run.trace.layers[layer]
    return difference(
        tensors.resid_post[sentence], sublayers.encoder_layer(tensors.resid_pre[sentence], run, layer, sentence)
    )


def input_and_layer(run: Run, layer: int) -> float:
    """The stages of the input and of one layer, each from the tensors before it."""
    stages = (projections, scores, softmax, weighted_values, multi_head, add_and_norm, feed_forward)
    return max(embedding(run), positions(run), *(stage(run, layer) for stage in stages))


# Of all layers, for one sentence. `measure` is what a figure shows of the weights, such as their mean over the heads.


def stack_weights(
    run: Run, sentence: int, measure: Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]] = np.asarray
) -> float:
    """The attention weights of all heads of all layers from their scores, or a measure of them."""
    sentences, trace = slice(sentence, sentence + 1), run.trace
    weights = [
        sublayers.attention_weights(tensors.scores[sentences], run, layer, sentences)[0]
        for layer, tensors in enumerate(trace.layers)
    ]
    return difference(measure(stack_patterns(trace, sentence)), measure(np.stack(weights)))


def output(run: Run, sentence: int) -> float:
    """The output from the input of the last layer: the layer, and the final norm if there is one.

    Raises ValueError with attention_read_out="input": the output is then not computed from the layers of the trace.
    """
    require_chained_layers(run.config)
    last = len(run.trace.layers) - 1
    rows = sublayers.encoder_layer(run.trace.layers[last].resid_pre[sentence], run, last, sentence)
    if run.config.final_norm:
        scale, shift = sublayers.norm_parameters(run.edited_parameters, last, "final_norm")
        rows = sublayers.layer_norm_steps(rows, scale, shift, run.config.norm_eps).output
    return difference(run.trace.output[sentence], rows)


def logits(run: Run, sentence: int) -> float:
    """The logits from the output of the encoder: output W_head + b."""
    trace, parameters = run.trace, run.edited_parameters
    assert trace.logits is not None
    return difference(trace.logits[sentence], output_logits(trace.output[sentence].astype(float), parameters))


def lens_logits(run: Run, sentence: int) -> float:
    """The logits of the logit lens from the residual stream: its final norm, if there is one, and the output head."""
    parameters, config = run.edited_parameters, run.config
    rows = residual_stream(run.trace, sentence).astype(float)
    if config.final_norm:
        scale, shift = (parameters[f"final_norm.{name}"] for name in ("scale", "bias"))
        rows = sublayers.layer_norm_steps(rows, scale, shift, config.norm_eps).output
    return difference(logit_lens(run, sentence), output_logits(rows, parameters))


def _difference_with_edits(
    traced: Float[np.ndarray, "..."], recomputed: Float[np.ndarray, "..."], edited: CellValues
) -> float:
    """The largest difference of the cells that are computed, or of edited cells from the values that were set."""
    if not edited:
        return difference(traced, recomputed)
    index, is_computed = tuple(np.array(list(edited)).T), np.ones(traced.shape, bool)
    is_computed[index] = False
    edited_difference = difference(traced[index], np.array(list(edited.values()), float))
    return max(difference(traced[is_computed], recomputed[is_computed]), edited_difference)
