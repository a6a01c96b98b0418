"""All scenes that show tensors of a trace, for any model."""

from collections.abc import Iterator

import numpy as np

from encoder_core import analysis
from encoder_core.explain.first_input import first_input
from encoder_core.explain.sublayers import FeedForwardSteps, layer_norm_steps, norm_parameters
from encoder_core.explain.sublayers import add_and_norm as tensors_around
from encoder_core.figures import Line, Window, colour_limit
from encoder_core.scenes import add_and_norm, feed_forward, language, predictions, residual_stream
from encoder_core.scenes.attention import multi_head, qkv, scaled_scores, softmax, stack_attention, weighted_values
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.inputs import embedding, positions
from encoder_core.trace import Run


def attention_lines(run: Run, at: Focus) -> Iterator[Line]:
    """The scenes of one head."""
    layer = run.trace.layers[at.layer]
    q, k, v, dots, scores, weights, z = (
        x[at.sentence, at.head]
        for x in (layer.q, layer.k, layer.v, layer.dot_products, layer.scores, layer.pattern, layer.z)
    )
    visible, row, factor = np.isfinite(scores), weights[at.token], float(run.head_factors(at.layer)[at.head])
    edited = run.effects.cell_values("scores", at.layer)
    by_hand = [(query, key) for *head, query, key in edited if head == [at.sentence, at.head]]
    scale = scaled_scores.Scale(run.score_scale, "")
    yield scaled_scores.step_by_step(q, k, dots, scores, at, scale=scale, set_by_hand=by_hand)
    steps = analysis.softmax_steps(scores[at.token], run.effects.temperature)
    yield softmax.step_by_step(scores, weights, steps, at, temperature=run.effects.temperature,
                               bits=analysis.entropy(weights), has_dropout=run.trace.kept is not None,
                               limit=1.0)  # fmt: skip
    head_weights = weighted_values.HeadWeights(weights, visible)
    yield weighted_values.mixture(head_weights, v, z, at, dimension=0, factor=factor)
    number = float(z[at.token, 0])
    yield weighted_values.one_number(row, v[:, 0], visible[at.token], number, at, dimension=0, factor=factor)


def layer_lines(run: Run, at: Focus, columns: Window) -> Iterator[Line]:
    """The scenes of one layer."""
    config, layer = run.config, run.trace.layers[at.layer]
    d_head, q = config.d_head, layer.q[at.sentence]
    heads = {name: getattr(layer, name[0])[at.sentence] for name in qkv.LETTERS}
    kernels = {name: run.edited_parameters[f"layers.{at.layer}.attention.{name}.kernel"] for name in qkv.LETTERS}
    by_name = {name: qkv.Projection(kernels[name], qkv.side_by_side(x)) for name, x in heads.items()}
    head_columns = range(at.head * d_head, (at.head + 1) * d_head)
    for features in (None, Window(0, config.qkv_width)):
        yield qkv.projections(layer.attn_in[at.sentence], by_name, at, head_columns=head_columns, dims=columns,
                              features=features, biased=True)  # fmt: skip
    yield multi_head.split(qkv.side_by_side(q), q, at)
    yield multi_head.all_patterns(layer.pattern, np.isfinite(layer.scores), at, title="", limit=1.0)
    yield multi_head.contributions(layer.head_contributions[at.sentence], layer.attn_out[at.sentence], at, biased=True,
                                       columns=columns)  # fmt: skip
    for name in ("norm1", "norm2", *(["final_norm"] if config.final_norm else [])):
        around = tensors_around(run, at.layer, name).for_sentence(at.sentence)
        factor = run.residual_factor(at.layer, "mlp" if name == "norm2" else "attention")
        yield add_and_norm.residual_sum(around, name, config.norm, at, columns=columns, limit=1.0, factor=factor)
        steps = layer_norm_steps(
            around.norm_in, *norm_parameters(run.edited_parameters, at.layer, name), config.norm_eps
        )
        shows = add_and_norm.norm_out_slice(at, name, config.norm)
        yield add_and_norm.normalisation(steps, around.norm_out, at, columns=columns, dimension=0, limit=1.0,
                                         shows=shows,
                                         has_steps=name != "final_norm" or config.has_chained_layers)  # fmt: skip
    neurons = Window(0, config.d_ff)
    steps = FeedForwardSteps(*(x[at.sentence] for x in (layer.mlp_pre, layer.mlp_act, layer.mlp_out)))
    yield feed_forward.network(layer.mlp_in[at.sentence], steps, config, at, columns=columns,
                               neurons=neurons.fitted(9), neuron=0)  # fmt: skip


def text_lines(run: Run, at: Focus, columns: Window) -> Iterator[Line]:
    """The scenes of what comes before the layers, and of all of them together."""
    trace, config, sentence = run.trace, run.config, at.sentence
    seq, first = len(at.labels), first_input(run).for_sentence(sentence)
    scaled, position = trace.scaled_embedding[sentence], trace.position_encoding
    if trace.ids is not None:
        table = run.edited_parameters["token_embedding"]
        names = [str(index) for index in range(len(table))]
        yield embedding.lookup(trace.ids[sentence], trace.token_embedding[sentence], table, at,
                               vocabulary=names, columns=columns)  # fmt: skip
    yield embedding.rows_and_positions(scaled, position, {"x": 1.0}, at, scale="x", in_use=True)
    longer = np.concatenate([position, np.ones_like(position)])
    yield positions.all_positions(longer, [], at, title="", seq=seq, columns=columns)
    yield positions.similarity(longer @ longer.T, traced=seq)
    title, total = ("embedded", first.embedded) if first.norm is None else ("embedding sum", first.total)
    yield positions.position_added(scaled, position, total, at, title=title, columns=columns)
    if first.norm is not None:
        yield positions.sum_normed(first.norm, first.embedded, at)
    patterns, visible = analysis.stack_patterns(trace, sentence), analysis.visible_keys(trace, sentence)
    yield stack_attention.every_head(patterns, visible, at, limit=1.0)
    yield stack_attention.head_averages(patterns.mean(axis=1), visible.any(axis=1), at, limit=1.0)
    rolled = analysis.rollout(trace, sentence, allow_unchained=True)
    step = analysis.mix_with_residual(patterns)[at.layer]
    before = rolled[at.layer - 1] if at.layer else np.eye(seq, dtype=np.float32)
    yield stack_attention.rollout(step, before, rolled[at.layer], at, limit=1.0)
    stages = analysis.residual_stream(trace, sentence, allow_unchained=True)
    if config.final_norm:
        stages = np.concatenate([stages, trace.output[[sentence]]])
    names = [str(stage) for stage in range(len(stages))]
    limit = colour_limit(stages)
    yield residual_stream.hidden_states(stages, columns, at, limit=limit, final_norm=config.final_norm)
    yield residual_stream.one_token(stages, names, columns, at, limit=limit, final_norm=config.final_norm)
    real = np.flatnonzero(trace.real[sentence])
    cosines = analysis.cosines(stages[:, real], stages[:, real])
    yield residual_stream.similarity({"": np.zeros(len(stages))}, cosines, names, at, places=real.tolist())
    cosine = np.ones(seq, np.float32)
    yield residual_stream.in_and_out(trace.embedded[sentence], trace.output[sentence], cosine, columns, at, enters="")
    to_all = analysis.stack_patterns(trace, sentence)[:, :, at.token]
    yield language.one_word(to_all, visible[:, :, at.token], at, limit=1.0)
    if trace.logits is not None:
        logits, vocabulary = trace.logits[sentence], [f"word {index}" for index in range(config.vocab_size)]
        yield predictions.predicted_tokens(analysis.top_tokens(logits), logits[at.token], vocabulary, at,
                                           real=np.ones(seq, bool), output_id=at.key_token)  # fmt: skip
        if config.has_chained_layers:
            lens = analysis.logit_lens(run, sentence)
            series = {"one": lens[:, at.token, 0], "other": lens[:, at.token, -1]}
            yield predictions.logit_lens(analysis.top_tokens(lens, 1), series, vocabulary, at,
                                         real=np.ones(seq, bool))  # fmt: skip


def all_lines(run: Run, at: Focus, bins: int) -> list[Line]:
    """All scenes; wide axes have bins of the size `bins`."""
    at = at._replace(labels=tuple(f"token {index}" for index in range(run.trace.real.shape[1])))
    columns = Window(0, run.config.d_model, bins)
    return [
        *attention_lines(run, at),
        *layer_lines(run, at, columns),
        *text_lines(run, at, columns),
    ]
