"""The cards of the map: the current model in the order in which it computes."""

from dataclasses import replace

from dashboard.components.diagram import Card, Group
from dashboard.models.model import Model


def before(model: Model, sentence: int) -> Group:
    """From text to the vectors that enter the first block."""
    trace, tokens, config = model.trace, model.batch.tokens[sentence], model.config
    rows = f"{len(tokens)} × {config.d_model}"
    cards = [
        Card("embedding", "tokens", f"{len(tokens)} tokens", words=tokens),
        Card("embedding", "embedding", rows, trace.scaled_embedding[sentence]),
        Card("positions", "+ positions", rows, trace.position_encoding if config.positions != "none" else None),
    ]
    embedded = trace.embedded[sentence]
    if trace.embedding_sum is None:
        return Group([*cards, Card("positions", "= embedded", rows, embedded)])
    total = Card("positions", "= sum", rows, trace.embedding_sum[sentence])
    return Group([*cards, total, Card("positions", "norm = embedded", rows, embedded)])


def block(model: Model, sentence: int, layer_index: int, head: int) -> Group:
    """One encoder block, in the order in which this model computes it."""
    config, layer = model.config, model.trace.layers[layer_index]
    seq, d_head = layer.q.shape[2:]
    rows, square = f"{seq} × {config.d_model}", f"{seq} × {seq}"
    attention = [
        Card("qkv", "Q · K · V", f"3 × {seq} × {d_head}", layer.q[sentence, head], identity="query"),
        Card("scaled_scores", "scores", square, layer.scores[sentence, head], identity="attention"),
        Card("softmax", "weights", square, layer.pattern[sentence, head], "weights", "attention"),
        Card("weighted_values", "values", f"{seq} × {d_head}", layer.z[sentence, head], identity="value"),
        Card("multi_head", f"{config.num_heads} heads", rows, layer.attn_out[sentence]),
    ]
    mlp = Card("feed_forward", "feed-\u200bforward", f"{seq} × {config.d_ff}", layer.mlp_act[sentence])
    label = f"Encoder block {layer_index + 1} of {config.num_layers} · head {head + 1} · {config.norm}-norm"
    if config.norm == "post":
        norms = [
            Card("add_and_norm", "add & norm", rows, layer.mlp_in[sentence]),
            Card("add_and_norm", "add & norm", rows, layer.resid_post[sentence]),
        ]
        return Group([*attention, norms[0], mlp, norms[1]], label, bridges=[(0, 5), (6, 7)])
    norm1, add1, norm2, add2 = (
        Card("add_and_norm", title, rows, values[sentence])
        for title, values in (
            ("norm", layer.attn_in),
            ("add", layer.resid_mid),
            ("norm", layer.mlp_in),
            ("add", layer.resid_post),
        )
    )
    return Group([norm1, *attention, add1, norm2, mlp, add2], label, bridges=[(0, 6), (7, 9)])


def after(model: Model, sentence: int) -> Group:
    """What leaves the last block."""
    config, trace = model.config, model.trace
    rows = f"{trace.output.shape[1]} × {config.d_model}"
    last = Card("full_stack", f"after block {config.num_layers}", rows, trace.layers[-1].resid_post[sentence])
    normed = Card("full_stack", "norm = output", rows, trace.output[sentence])
    # Where the layers shown each read the embedded input, the last of them does not give the output.
    return Group([last, normed] if config.final_norm else [replace(normed, title="output")])
