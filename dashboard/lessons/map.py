"""Sections of the map: the cards of the tensors in the order of computation, the cost, and the question."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard.components.diagram import Bridge, Card, Group
from dashboard.components.plot import render_plot
from dashboard.inspect.questions import Question, WrongOption
from dashboard.models.model import Model
from dashboard.state.offered_encoders import OFFERED
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.figures import PanelStyle, bars
from encoder_core.parameters.cost import BYTES_PER_PARAMETER, flops_by_part
from encoder_core.support.number_format import format_number, with_unit_prefix
from encoder_core.support.wording import format_count


def input_group(model: Model, sentence: int) -> Group:
    """From the tokens to the input of the first layer."""
    trace, tokens, config = model.trace, model.batch.tokens[sentence], model.config
    rows = f"{len(tokens)} × {config.d_model}"
    cards = [
        Card("embedding", "tokens", format_count(len(tokens), "token"), words=tokens),
        Card("embedding", "embedding", rows, trace.scaled_embedding[sentence]),
        Card("positions", "+ positions", rows, trace.position_encoding if config.positions != "none" else None),
    ]
    embedded = trace.embedded[sentence]
    if trace.embedding_sum is None:
        return Group([*cards, Card("positions", "= embedded", rows, embedded)])
    total = Card("positions", "= sum", rows, trace.embedding_sum[sentence])
    return Group([*cards, total, Card("positions", "norm = embedded", rows, embedded)])


def layer_group(model: Model, sentence: int, layer_index: int, head: int) -> Group:
    """One encoder layer, in the order of computation of this model."""
    config, layer = model.config, model.trace.layers[layer_index]
    factors = model.run.residual_factors(layer_index)
    seq, d_head = layer.q.shape[2:]
    rows, square = f"{seq} × {config.d_model}", f"{seq} × {seq}"
    attention = [
        Card("qkv", "Q · K · V", f"3 × {seq} × {d_head}", layer.q[sentence, head], identity="query"),
        Card("scaled_scores", "scores", square, layer.scores[sentence, head], identity="attention"),
        Card("softmax", "weights", square, layer.pattern[sentence, head], "weights", "attention"),
        Card("weighted_values", "values", f"{seq} × {d_head}", layer.z[sentence, head], identity="value"),
        Card("multi_head", format_count(config.num_heads, "head"), rows, layer.attn_out[sentence]),
    ]
    mlp = Card("feed_forward", "feed-\u200bforward", f"{seq} × {config.d_ff}", layer.mlp_act[sentence])
    label = f"Encoder layer {layer_index + 1} of {config.num_layers} · head {head + 1} · {config.norm}-norm"
    if config.norm == "post":
        norms = [
            Card("add_and_norm", f"{_add(factor)} & norm" if factor else "norm", rows, values[sentence])
            for factor, values in zip(factors, (layer.mlp_in, layer.resid_post), strict=True)
        ]
        bridges = [Bridge(0, 5, factors[0]), Bridge(6, 7, factors[1])]
        return Group([*attention, norms[0], mlp, norms[1]], label, bridges)
    norm1, add1, norm2, add2 = (
        Card("add_and_norm", title, rows, values[sentence])
        for title, values in (
            ("norm", layer.attn_in),
            (_add(factors[0]), layer.resid_mid),
            ("norm", layer.mlp_in),
            (_add(factors[1]), layer.resid_post),
        )
    )
    bridges = [Bridge(0, 6, factors[0]), Bridge(7, 9, factors[1])]
    return Group([norm1, *attention, add1, norm2, mlp, add2], label, bridges)


def _add(factor: float) -> str:
    """The title of a residual sum; with the factor of an edit, because a narrow map has no bridges."""
    return "add" if factor == 1 else f"add {format_number(factor, 3)} · x" if factor else "nothing added"


def output_group(model: Model, sentence: int) -> Group:
    """The output of the last layer and of the model, and the logits of a model with an output head."""
    config, trace = model.config, model.trace
    rows = f"{trace.output.shape[1]} × {config.d_model}"
    last = Card("full_stack", f"after layer {config.num_layers}", rows, trace.layers[-1].resid_post[sentence])
    normed = Card("full_stack", "norm = output", rows, trace.output[sentence])
    # If each layer shown has the embedded input as its input, the last of them does not give the output.
    cards = [last, normed] if config.final_norm else [replace(normed, title="output")]
    if trace.logits is not None:
        size = f"{trace.output.shape[1]} × {config.vocab_size:,}"
        cards.append(Card("full_stack", "output head = logits", size, trace.logits[sentence]))
    return Group(cards)


def render_cost(current: Model, parts: Mapping[str, int], flops: Mapping[str, int]) -> None:
    """Parameters, bytes and FLOPs of the model in total, and parameters and FLOPs by part as bars."""
    theme, encoder, (batch, seq) = current_theme(), current.encoder, current.batch.ids.shape
    st.header("Parameters, memory and FLOPs", anchor=False)
    st.markdown(
        f"**{encoder.num_parameters:,}** parameters · **{with_unit_prefix(encoder.num_bytes, 'B')}** as float32 "
        f"({BYTES_PER_PARAMETER} bytes each) · **{with_unit_prefix(encoder.flops(seq, batch), 'FLOP')}** in the matrix "
        f"products of one pass over {format_count(batch * seq, 'token')}"
    )
    render_plot(
        [
            bars(
                np.array(list(parts.values())),
                list(parts),
                title="parameters by part",
                y_axis="parameters",
                texts=[with_unit_prefix(count) for count in parts.values()],
                style=PanelStyle(height=170, theme=theme),
            ),
            bars(
                np.array(list(flops.values())),
                list(flops),
                title="FLOPs by part",
                y_axis="FLOP",
                texts=[with_unit_prefix(count) for count in flops.values()],
                style=PanelStyle(height=170, theme=theme),
            ),
        ],
        key="map_cost",
    )
    used = (
        f" Of this model's position table, only the {format_count(encoder.config.max_len, 'row')} that texts here can "
        "use are counted; the published model has more. It also has rows for token types, of which the first is part "
        "of each row of this table, and a pooling layer, which no vector of a token goes through."
        if current.settings.encoder in OFFERED
        else ""
    )
    st.caption(
        "Only matrix products are counted as FLOPs; a multiplication and an addition are two operations (Hoffmann et "
        f"al. 2022, appendix F). Norms, softmax, activations, biases and residual additions are not counted.{used}"
    )


def length_question(config: EncoderConfig, seq: int, batch: int = 1) -> Question:
    """How do parameters and FLOPs grow with the length of the text?"""
    once, twice = (sum(flops_by_part(config, length, batch).values()) for length in (seq, 2 * seq))
    # As many digits as show that it is more than twice as much: attention is a small part where tokens are few.
    factor = next(text for d in range(2, 17) if (text := format_number(twice / once, d)) != "2")
    is_too_long = config.positions == "learned" and 2 * seq > config.max_len
    rows = format_count(config.max_len, "row")
    aside = f" (leave aside the table of positions, which has only {rows} here)" * is_too_long
    return Question(
        f"imagine a text with twice as many tokens in each sentence ({2 * seq} instead of {seq}) and no new words. "
        f"What happens to the number of parameters{aside}, and to the FLOPs?",
        "the same parameters, more than twice the FLOPs",
        f"Every token uses the same matrices, so the parameters stay. The FLOPs grow from {with_unit_prefix(once)} to "
        f"{with_unit_prefix(twice)}, to {factor} times as many: each of twice as many queries is compared with "
        "twice as many keys, so scores and weighted values take four times as many.",
        [
            WrongOption(
                "twice the parameters, twice the FLOPs",
                "Parameters do not belong to the tokens of a text: the same matrices serve each of them.",
                "the code: one layer's parameters are used for all rows",
            ),
            WrongOption(
                "the same parameters, twice the FLOPs",
                "This holds for the linear layers, which work on each token alone, but attention compares all pairs.",
                "“FLOPs by part”: scores and values grow with the square of the length",
            ),
        ],
    )
