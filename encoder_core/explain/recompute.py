"""The badge's arithmetic: each stage computed again in float64 NumPy from the tensors shown, and compared with them.

Every function returns the largest difference, as a fraction of the largest magnitude of the result. Edits and dropout
count: the same as the trace was made with. Numbers set by hand are compared with what was set, apart from the others,
whose differences would look small beside a large one.
"""

from functools import partial

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import one_hot
from encoder_core.config import embedding_factors
from encoder_core.edits.effects import CellValues
from encoder_core.explain import sublayers
from encoder_core.explain.first_input import embedding_norm
from encoder_core.explain.sublayers import NormName
from encoder_core.trace import Run


def difference(shown: Float[np.ndarray, "..."], again: Float[np.ndarray, "..."]) -> float:
    """max |shown - again| / max |again| over the finite cells; infinite where the infinite cells are not the same."""
    finite = np.isfinite(again)
    if not np.array_equal(finite, np.isfinite(shown)):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = np.abs(again[finite]).max() or 1.0
    return float(np.abs(shown[finite] - again[finite]).max() / scale)


def embedding(run: Run) -> float:
    """The looked-up rows as one-hot vectors times the table, without the columns of the one-hot vectors that are 0 in
    all of them; and the rows times the scale. Of embeddings that were given, only the latter."""
    trace, rows = run.trace, run.trace.token_embedding.astype(float)
    if trace.ids is not None:
        used, places = np.unique(trace.ids, return_inverse=True)
        rows = one_hot(places.reshape(trace.ids.shape), len(used)) @ run.edited_parameters["token_embedding"][
            used
        ].astype(float)
    scale = embedding_factors(run.config.d_model)[run.config.embedding_scale]
    return max(difference(trace.token_embedding, rows), difference(trace.scaled_embedding, rows * scale))


def positions(run: Run) -> float:
    """The scaled embedding plus the position encoding; with an embedding norm, that sum and the norm of what is shown
    of it."""
    trace, of_sum = run.trace, 0.0
    again = trace.scaled_embedding.astype(float) + trace.position_encoding
    if trace.embedding_sum is not None:
        of_sum, again = difference(trace.embedding_sum, again), trace.embedding_sum
    norm = embedding_norm(run, again)
    again = run.dropped(again if norm is None else norm.output, "embedded")
    return max(of_sum, _apart(trace.embedded, again, run.effects.embedded))


def projections(run: Run, layer: int) -> float:
    """x W + b for the queries, keys and values of all heads."""
    steps = run.trace.layers[layer]
    return max(
        difference(found, sublayers.projection(steps.attn_in, run, layer, part))
        for found, part in zip((steps.q, steps.k, steps.v), sublayers.PROJECTIONS, strict=True)
    )


def scores(run: Run, layer: int) -> float:
    """q . k and its scaled and masked form, of all heads."""
    steps = run.trace.layers[layer]
    dots = np.einsum("bhqd,bhkd->bhqk", steps.q.astype(float), steps.k.astype(float))
    by_hand = run.effects.of_tensor("scores", layer)
    again = sublayers.masked_scores(dots, run, layer)
    return max(difference(steps.dot_products, dots), _apart(steps.scores, again, by_hand))


def softmax(run: Run, layer: int) -> float:
    """exp of the scores, divided by the temperature, over their sum along the row, of all heads."""
    steps = run.trace.layers[layer]
    return difference(steps.pattern, sublayers.attention_weights(steps.scores, run, layer))


def weighted_values(run: Run, layer: int) -> float:
    """pattern V, of all heads, each times its factor."""
    steps = run.trace.layers[layer]
    return difference(steps.z, sublayers.weighted_values(steps.pattern, steps.v, run, layer))


def multi_head(run: Run, layer: int) -> float:
    """z of all heads side by side, and the sum over the heads of z_h W_O,h, plus the bias."""
    steps, parameters, name = run.trace.layers[layer], run.edited_parameters, f"layers.{layer}.attention.out"
    batch, heads, seq, d_head = steps.z.shape
    concat = steps.z.swapaxes(1, 2).reshape(batch, seq, heads * d_head).astype(float)
    kernels = parameters[f"{name}.kernel"].reshape(heads, d_head, -1).astype(float)
    attn_out = np.einsum("bhsd,hdm->bsm", steps.z.astype(float), kernels) + parameters.get(f"{name}.bias", 0.0)
    attn_out = run.dropped(attn_out, "attn_out", layer)
    return max(difference(steps.concat, concat), difference(steps.attn_out, attn_out))


def add_and_norm(run: Run, layer: int) -> float:
    """Both residual sums and both norms of a block; of the last block, also the final norm if there is one, and if it
    reads what the layers shown give."""
    names: list[NormName] = ["norm1", "norm2"]
    last = len(run.trace.layers) - 1
    from_last = last == 0 or run.config.attention_read_out == "stack"
    if run.config.final_norm and from_last and layer == last:
        names.append("final_norm")
    found = []
    for name in names:
        steps = sublayers.add_and_norm(run, layer, name)
        scale, shift = sublayers.norm_parameters(run.edited_parameters, layer, name)
        again = sublayers.layer_norm(steps.norm_in, scale, shift, run.config.norm_eps).output
        found.append(difference(steps.norm_out, again))
        if steps.residual is not None and steps.sublayer is not None and steps.total is not None:
            past = run.residual_factor(layer, sublayers.SUBLAYERS[name]) * steps.residual.astype(float)
            found.append(difference(steps.total, past + steps.sublayer))
    return max(found)


def feed_forward(run: Run, layer: int) -> float:
    """Of all three steps of the feed-forward network."""
    steps, config = run.trace.layers[layer], run.config
    dropped = partial(run.dropped, layer=layer)
    again = sublayers.feed_forward(
        steps.mlp_in, run.edited_parameters, layer, config.activation, config.activation_after, dropped
    )
    return max(
        difference(steps.mlp_pre, again.pre),
        difference(steps.mlp_act, again.act),
        difference(steps.mlp_out, again.out),
    )


def block(run: Run, layer: int, sentence: int) -> float:
    """What leaves a block, from what enters it: every step of the block for one sentence."""
    steps = run.trace.layers[layer]
    return difference(steps.resid_post[sentence], sublayers.block(steps.resid_pre[sentence], run, layer, sentence))


def _apart(shown: Float[np.ndarray, "..."], again: Float[np.ndarray, "..."], by_hand: CellValues) -> float:
    """The largest difference of the numbers that follow from others, or of those that were set by hand from what was
    set."""
    if not by_hand:
        return difference(shown, again)
    index, follows = tuple(np.array(list(by_hand)).T), np.ones(shown.shape, bool)
    follows[index] = False
    of_set = difference(shown[index], np.array(list(by_hand.values()), float))
    return max(difference(shown[follows], again[follows]), of_set)
