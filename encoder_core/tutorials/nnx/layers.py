"""The rows of the introduction: what each encoder layer contains."""

import numpy as np

from encoder_core.analysis import relative_change
from encoder_core.explain.recompute import difference
from encoder_core.figures import Line, RowBarsStyle, ThemeName, position_labels, row_bars
from encoder_core.recipes.collapse import collapsed_feed_forward
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import NNX, PAGE, encoder_of, encoder_run, variant_run


def _relationships(seed: int) -> Finding:
    run = encoder_run(seed)
    rows = run.trace.embedded[:1]
    changed = rows.copy()
    changed[0, -1] = 0
    encoder = encoder_of(seed)
    before, after = (encoder.trace(x).layers[0] for x in (rows, changed))
    moved = np.linalg.norm(after.attn_out - before.attn_out, axis=-1)[0]
    others = int((moved[:-1] > 1e-4).sum())

    def draw(theme: ThemeName) -> Line:
        style = RowBarsStyle(row_axis="token", span=(0.0, float(moved.max())), colour="attention", theme=theme)
        title = "change of the attention output of each token"
        return [row_bars(moved, position_labels(len(moved)), title=title, marks=[len(moved) - 1], style=style)]

    return Finding(
        judge(others == 15),
        f"{others} of 15 other tokens change",
        f"Token 16 of sentence 1 is set to zeros. The attention output of **{others} of the 15** other tokens changes "
        f"in block 1, by {format_number(moved[:-1].min(), 2)} to {format_number(moved[:-1].max(), 2)} (length of the "
        "change).",
        draw,
    )


def _two_linear_layers(seed: int) -> Finding:
    run = encoder_run(seed)
    layer, down = run.trace.layers[0], "layers.0.mlp.down"
    two_layers = layer.mlp_act[0] @ run.parameters[f"{down}.kernel"] + run.parameters[f"{down}.bias"]
    one_map = collapsed_feed_forward(run.parameters, 0)(layer.mlp_in[0])
    intended = variant_run(seed, "as intended")
    bent, gap = intended.trace.layers[0], difference(two_layers, one_map)
    intended_gap = difference(bent.mlp_out[0], collapsed_feed_forward(intended.parameters, 0)(bent.mlp_in[0]))

    def draw(theme: ThemeName) -> Line:
        return scenes.one_affine_map(two_layers, one_map, tokens=run.trace.tokens[0], theme=theme)

    return Finding(
        judge(gap > 1e-4),
        f"difference from one affine map: {format_number(gap, 1)}",
        "In the code as written, both linear layers together differ from one affine map by "
        f"**{format_number(gap, 1)}** of the largest number, which is rounding. With the GELU in between, as the text "
        f"intends, it is **{format_number(intended_gap, 2)}**.",
        draw,
    )


def _add_and_normalize(seed: int) -> Finding:
    run = encoder_run(seed)
    layer = run.trace.layers[0]
    gap = difference(layer.resid_mid, layer.resid_pre + layer.attn_out)
    normalised = (layer.mlp_in - run.parameters["layers.0.norm1.bias"]) / run.parameters["layers.0.norm1.scale"]
    mean, variance = np.abs(normalised.mean(-1)).max(), normalised.var(-1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="x", values=layer.resid_pre[0]), "+",
                Matrix(title="attention", values=layer.attn_out[0]), "=",
                Matrix(title="sum", values=layer.resid_mid[0]), "norm →",
                Matrix(title="after the norm", values=layer.mlp_in[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(gap < 1e-5 and mean < 1e-4 and abs(variance - 1).max() < 1e-3),
        f"mean {format_number(mean, 1)}, variance {variance.mean():.3f}",
        f"The sum equals input + attention output (largest difference {format_number(gap, 1)}). Before scale and "
        f"shift, each normalised row has a mean of at most **{format_number(mean, 1)}** and a variance from "
        f"**{variance.min():.3f}** to **{variance.max():.3f}**.",
        draw,
    )


def _diagram(seed: int) -> Finding:
    trace = encoder_run(seed).trace
    first = trace.layers[0]
    linked = [np.array_equal(a.resid_post, b.resid_pre) for a, b in zip(trace.layers, trace.layers[1:], strict=False)]
    changes = [relative_change(layer.resid_pre, layer.resid_post) for layer in trace.layers]

    def draw(theme: ThemeName) -> Line:
        tensors = {"input": first.resid_pre, "multi-head attention": first.attn_out, "add & norm": first.mlp_in,
                   "feed-forward": first.mlp_out, "add & norm, output": first.resid_post}  # fmt: skip
        parts: list[Matrix | str] = []
        for title, values in tensors.items():
            parts += [*(["→"] if parts else []), Matrix(title=title, values=values[0])]
        return line_of([*parts], theme=theme)

    return Finding(
        judge(all(linked) and len(trace.layers) == NNX.config().num_layers),
        f"N = {len(trace.layers)} blocks",
        f"The tutorial's encoder has N = **{len(trace.layers)}** blocks; the output of each is the input of the next. "
        f"They change the rows by {', '.join(f'**{change:.0%}**' for change in changes)} of their length.",
        draw,
    )


def _every_token(seed: int) -> Finding:
    trace = encoder_run(seed).trace
    free = trace.layers[0].pattern[0, 0]
    causal = encoder_run(seed, mask="causal").trace.layers[0].pattern[0, 0]
    counts = [int((weights > 0).sum()) - len(weights) for weights in (free, causal)]
    pairs = free.size - len(free)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                weight_matrix("without a mask", free, own_scale=True), "|",
                weight_matrix("causal mask", causal, mask=causal > 0, own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(counts[1] == pairs, under_condition=counts[0] == pairs),
        f"{counts[0]} of {pairs} pairs; causal {counts[1]}",
        f"Of {pairs} pairs of different tokens, **{counts[0]}** have a weight above 0 without a mask (block 1, head 1, "
        f"sentence 1). With the causal mask of the tutorial's smaller examples, **{counts[1]}** have.",
        draw,
        "no mask hides a key",
    )


LAYER_ITEMS = (
    Item(
        "captures-relationships", "Self-attention captures relationships", "claim",
        (Quotation("Captures relationships within the sequence.", PAGE),), _relationships,
        "Without a mask, each attention output is a mixture of the values of all tokens, so it depends on all of them. "
        "That it can depend on them is measured here; which relationships it captures is a matter of training.",
        "weighted_values",
    ),
    Item(
        "two-linear-layers", "Two linear layers with an activation in between", "claim",
        (Quotation("Two linear layers with a ReLU/GELU activation in between.", PAGE),
         Quotation("for l in self.linear:\n    linear_out = l(linear_out)\nlinear_out = nnx.gelu(linear_out)",
                   f"{PAGE}#Encoder-Block", "code")),
        _two_linear_layers,
        "The list holds a linear layer, dropout and a linear layer. The GELU follows the loop, so it is applied once, "
        "to the output of the second linear layer. In evaluation mode nothing bends between the two, and they are one "
        "affine map. The view *Text and code* shows the effect on the output.",
        "feed_forward",
        variant="as written",
    ),
    Item(
        "add-and-normalize", "Add and normalize", "claim",
        (Quotation("Residual connection and layer normalization.", PAGE),), _add_and_normalize,
        "Layer norm takes mean and variance over the features of one token, then multiplies by a scale and adds a "
        "shift, both learned. The variance is slightly below 1 because ε is added before the division.",
        "add_and_norm",
    ),
    Item(
        "encoder-diagram", "The diagram of the encoder", "figure",
        (Quotation("N× … Multi-head attention … Add & Norm … Feed forward … Add & Norm", PAGE),), _diagram,
        "The code computes what the diagram shows, in that order. The three arrows into attention are queries, keys "
        "and values, all computed from the same input.",
        "full_stack",
    ),
    Item(
        "every-other-token", "Every token attends to every other token", "claim",
        (Quotation("Self-attention enables each token in the input sequence to attend to every other token in the "
                   "sequence.", f"{PAGE}#Self-Attention-Mechanism"),),
        _every_token,
        "Softmax gives a visible key a positive weight, however small. A masked key gets 0.",
        "softmax",
    ),
)  # fmt: skip
