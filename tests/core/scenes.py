"""Every scene that shows tensors of a trace, made from any model: lines of panels for the tests."""

from collections.abc import Iterator

import numpy as np

from encoder_core import analysis
from encoder_core.explain.first_input import first_input
from encoder_core.explain.sublayers import FeedForwardSteps, layer_norm, norm_parameters
from encoder_core.explain.sublayers import add_and_norm as tensors_around
from encoder_core.figures import Line, Window
from encoder_core.scenes import (
    add_and_norm,
    embedding,
    feed_forward,
    full_stack,
    language,
    multi_head,
    positions,
    qkv,
    scaled_scores,
    softmax,
    weighted_values,
)
from encoder_core.scenes.position import At
from encoder_core.trace import Run


def attention_lines(run: Run, at: At, tokens: list[str]) -> Iterator[Line]:
    """The scenes of one head."""
    layer = run.trace.layers[at.layer]
    q, k, v, dots, scores, weights, z = (
        x[at.sentence, at.head]
        for x in (layer.q, layer.k, layer.v, layer.dot_products, layer.scores, layer.pattern, layer.z)
    )
    visible, row, factor = np.isfinite(scores), weights[at.token], float(run.head_factors(at.layer)[at.head])
    edited = run.effects.of_tensor("scores", at.layer)
    by_hand = [(query, key) for *head, query, key in edited if head == [at.sentence, at.head]]
    yield scaled_scores.step_by_step(
        q, k, dots, scores, at, divisor="", scale=run.score_scale, set_by_hand=by_hand, tokens=tokens
    )
    steps = analysis.softmax_steps(scores[at.token], run.effects.temperature)
    yield softmax.step_by_step(scores, weights, steps, at, shifted="", tokens=tokens, limit=1.0)
    yield weighted_values.mixture(weights, v, z, visible, at, tokens=tokens, dimension=0, limit=1.0, factor=factor)
    number = float(z[at.token, 0])
    yield weighted_values.one_number(
        row, v[:, 0], visible[at.token], number, at, dimension=0, tokens=tokens, factor=factor
    )


def block_lines(run: Run, at: At, tokens: list[str], columns: Window) -> Iterator[Line]:
    """The scenes of one block."""
    trace, config, layer = run.trace, run.config, run.trace.layers[at.layer]
    d_head, q = config.d_head, layer.q[at.sentence]
    heads = {name: getattr(layer, name[0])[at.sentence] for name in qkv.LETTERS}
    kernels = {name: run.edited_parameters[f"layers.{at.layer}.attention.{name}.kernel"] for name in qkv.LETTERS}
    results = {name: qkv.side_by_side(x) for name, x in heads.items()}
    owned = range(at.head * d_head, (at.head + 1) * d_head)
    for features in (None, Window(0, config.qkv_width)):
        yield qkv.projections(layer.attn_in[at.sentence], kernels, results, at, owned=owned, dims=columns,
                              features=features, biased=True, tokens=tokens)  # fmt: skip
    yield multi_head.split(qkv.side_by_side(q), q, at, tokens=tokens)
    yield multi_head.all_patterns(layer.pattern, np.isfinite(layer.scores), at, title="", tokens=tokens, limit=1.0)
    yield multi_head.added_up(layer.head_contributions[at.sentence], layer.attn_out[at.sentence], at, biased=True,
                              tokens=tokens, columns=columns)  # fmt: skip
    for name in ("norm1", "norm2", *(["final_norm"] if config.final_norm else [])):
        around = tensors_around(run, at.layer, name).of(at.sentence)
        factor = run.residual_factor(at.layer, "mlp" if name == "norm2" else "attention")
        yield add_and_norm.residual_sum(around, name, config.norm, at, columns=columns, limit=1.0, tokens=tokens,
                                        factor=factor)  # fmt: skip
        steps = layer_norm(around.norm_in, *norm_parameters(run.edited_parameters, at.layer, name), config.norm_eps)
        shows = add_and_norm.norm_out_slice(at, name, config.norm)
        yield add_and_norm.normalisation(steps, around.norm_out, at, columns=columns, dimension=0, limit=1.0,
                                         tokens=tokens, shows=shows)  # fmt: skip
    neurons = Window(0, config.d_ff)
    steps = FeedForwardSteps(*(x[at.sentence] for x in (layer.mlp_pre, layer.mlp_act, layer.mlp_out)))
    yield feed_forward.network(layer.mlp_in[at.sentence], steps, config, at, columns=columns,
                               neurons=neurons.fitted(9), neuron=0, tokens=tokens)  # fmt: skip
    assert trace.real.shape[1] == len(tokens)


def text_lines(run: Run, at: At, tokens: list[str], columns: Window) -> Iterator[Line]:
    """The scenes of what comes before the blocks, and of all of them together."""
    trace, config, sentence = run.trace, run.config, at.sentence
    seq, found = len(tokens), first_input(run).of(sentence)
    scaled, position = trace.scaled_embedding[sentence], trace.position_encoding
    if trace.ids is not None:
        table = run.edited_parameters["token_embedding"]
        names = [str(index) for index in range(len(table))]
        yield embedding.lookup(trace.ids[sentence], trace.token_embedding[sentence], table, at, tokens=tokens,
                               vocabulary=names, columns=columns)  # fmt: skip
    yield embedding.rows_and_positions(scaled, position, {"x": 1.0}, at, scale="x", in_use=True, tokens=tokens)
    longer = np.concatenate([position, np.ones_like(position)])
    yield positions.all_positions(longer, [], at, title="", seq=seq, columns=columns)
    title, total = ("embedded", found.embedded) if found.norm is None else ("embedding sum", found.total)
    yield positions.position_added(scaled, position, total, at, tokens=tokens, title=title, columns=columns)
    if found.norm is not None:
        yield positions.sum_normed(found.norm, found.embedded, at, tokens=tokens)
    patterns, visible = analysis.patterns_of(trace, sentence), analysis.visible_keys(trace, sentence)
    yield full_stack.every_head(patterns, visible, at, limits=(1.0, 1.0), tokens=tokens)
    rolled, step = analysis.rollout(patterns), analysis.with_residual(patterns)[at.layer]
    before = rolled[at.layer - 1] if at.layer else np.eye(seq, dtype=np.float32)
    yield full_stack.rollout(step, before, rolled[at.layer], at, limit=1.0, tokens=tokens)
    stages = analysis.residual_stream(trace, sentence, final_norm=config.final_norm)
    names = [str(stage) for stage in range(len(stages))]
    yield full_stack.hidden_states(stages, columns, at, final_norm=config.final_norm, tokens=tokens)
    yield full_stack.one_token(stages, names, columns, at, final_norm=config.final_norm, tokens=tokens)
    cosine = np.ones(seq, np.float32)
    yield full_stack.in_and_out(trace.embedded[sentence], trace.output[sentence], cosine, columns, at, enters="",
                                tokens=tokens)  # fmt: skip
    to_all = analysis.patterns_of(trace, sentence)[:, :, at.token]
    yield language.one_word(to_all, visible[:, :, at.token], at, limits=(1.0, 1.0), tokens=tokens)


def all_lines(run: Run, at: At, bins: int) -> list[Line]:
    """All of them; wide axes are drawn in bins of this size."""
    tokens = [f"token {index}" for index in range(run.trace.real.shape[1])]
    columns = Window(0, run.config.d_model, bins)
    return [
        *attention_lines(run, at, tokens),
        *block_lines(run, at, tokens, columns),
        *text_lines(run, at, tokens, columns),
    ]
