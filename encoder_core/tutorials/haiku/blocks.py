"""The rows of the sections Encoder Block and Transformer Encoder: their tests, comments and the unused d_rate."""

import ast
from collections import Counter

import numpy as np

from encoder_core.analysis import relative_change
from encoder_core.edits import Dropout
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.haiku.draws import MASK_OF_12
from encoder_core.tutorials.haiku.models import (
    BLOCK,
    block,
    block_run,
    example_input,
)
from encoder_core.tutorials.haiku.transforms import RNG_ITEM
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel

# The body of `EncoderBlock.__call__`, without its docstring.
CALL = """d_rate = self.p_dropout if is_train else 0.0

# attention sub-layer
sub_x, _ = self.self_attn(x, x, x, mask=mask)
if is_train:
    sub_x = hk.dropout(hk.next_rng_key(), self.p_dropout, sub_x)
x = self.norm1(x + sub_x)  # residual conn

# feedforward sub-layer
sub_x = self.ff(x, is_train=is_train)
if is_train:
    sub_x = hk.dropout(hk.next_rng_key(), self.p_dropout, sub_x)
x = self.norm2(x + sub_x)  # sub_x"""


def reads(code: str) -> Counter[str]:
    """How often each variable of the code is read."""
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    return Counter({node.id: 0 for node in names}) + Counter(
        node.id for node in names if isinstance(node.ctx, ast.Load)
    )


def _block_test(seed: int) -> Finding:
    run = block_run(seed, seed)
    out = run.trace.output
    means, deviations = np.abs(out.mean(-1)).max(), out.std(-1)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="x of sentence 1", values=example_input(seed)[0]), "→",
                        Matrix(title="out: training mode", values=out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == (2, 12, 64)),
        f"Out {out.shape}",
        f"The test prints **Out {out.shape}**. The last step is a norm, so each row has the mean 0 (to within "
        f"{format_number(means, 1)}) and a standard deviation of **{deviations.mean():.3f}**.",
        draw,
    )


def _unused_rate(seed: int) -> Finding:
    counts = {name: reads(CALL)[name] for name in ("x", "sub_x", "mask", "is_train", "self", "d_rate")}
    rate_0 = block(seed).trace(example_input(seed), MASK_OF_12, [Dropout(seed, 0.0)]).output
    change = relative_change(block_run(seed, seed).trace.output, rate_0)

    def draw(theme: ThemeName) -> Line:
        named = {name: float(count) for name, count in counts.items()}
        return [bar_panel(named, title="how often the code reads each variable", marks=[5], theme=theme)]

    return Finding(
        judge(counts["d_rate"] > 0),
        f"read {counts['d_rate']} times",
        f"The code reads `d_rate` **{counts['d_rate']}** times, so its value has no effect. Both dropouts use "
        f"`self.p_dropout` under `if is_train`; setting that rate to 0 instead of 0.1 changes the output by "
        f"**{change:.0%}**.",
        draw,
    )


def _sub_x(seed: int) -> Finding:
    trace = block_run(seed).trace.layers[0]
    error = float(np.abs(trace.resid_pre + trace.attn_out - trace.resid_mid).max())
    share = relative_change(trace.mlp_in, trace.mlp_in + trace.mlp_out)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="x", values=trace.mlp_in[0]), "+",
                        Matrix(title="sub_x", values=trace.mlp_out[0]), "=",
                        Matrix(title="sum, before norm2", values=trace.mlp_in[0] + trace.mlp_out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(error < 1e-5 and share > 0),
        "two residual sums",
        f"Both lines add the input of the sub-layer to its output, then normalise. In the second line, `sub_x` changes "
        f"x by **{share:.0%}**.",
        draw,
    )


def _updated_input(seed: int) -> Finding:
    run = block_run(seed)
    x, out = run.trace.embedded, run.trace.output
    change = relative_change(x, out)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="x", values=x[0]), "→", Matrix(title="output of the block", values=out[0]), "Δ",
                        Matrix(title="output − x", values=out[0] - x[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(x.shape == out.shape and change > 0),
        f"{out.shape}, change {change:.0%}",
        f"Input and output have the shape **{out.shape}**. The block changes its input by **{change:.0%}** of the "
        "input's length.",
        draw,
    )


def _variance(seed: int) -> Finding:
    run = block_run(seed)
    before = (run.trace.layers[0].mlp_in + run.trace.layers[0].mlp_out).reshape(-1, 64)
    after = run.trace.output.reshape(-1, 64).astype(float)
    shortfall = 1 - after.var(-1)
    expected = 1e-5 / (before.astype(float).var(-1) + 1e-5)
    error = float(np.abs(shortfall - expected).max())

    def draw(theme: ThemeName) -> Line:
        names = {str(i + 1): float(value) for i, value in enumerate(shortfall[:12])}
        return [bar_panel(names, title="1 − variance of each output row, sentence 1", theme=theme)]

    return Finding(
        judge(error < 2e-6),
        f"1 − variance = {format_number(shortfall.mean(), 2)}",
        "Haiku's default eps is 1e-5. The variance of an output row is smaller than 1 by "
        f"**{format_number(shortfall.mean(), 2)}** on average, which is eps / (variance + eps) up to rounding.",
        draw,
    )


BLOCK_ITEMS = (
    Item(
        "test-block",
        "Test of a single block",
        "printed result",
        (Quotation('print("Out", out.shape)', BLOCK, "code"),
         Quotation("out = enc_blk.apply(rng=rng_key, params=params, x=x, mask=mask, is_train=True)", BLOCK, "code")),
        _block_test,
        "A block keeps the shape of its input, so blocks can be stacked. The test uses one key for x, for the "
        "parameters and for dropout, and the mask from the first key.",
        "add_and_norm",
    ),
    RNG_ITEM,
    Item(
        "unused-d-rate",
        "The unused d_rate",
        "claim",
        (Quotation("d_rate = self.p_dropout if is_train else 0.0", BLOCK, "code"), Quotation(CALL, BLOCK, "code")),
        _unused_rate,
        "The line prepares the usual alternative to `if is_train`: a rate of 0 in evaluation mode. The code has both "
        "and uses the `if` only.",
        "feed_forward",
    ),
    Item(
        "residual-comments",
        "The comments residual conn and sub_x",
        "claim",
        (Quotation("x = self.norm1(x + sub_x)  # residual conn", BLOCK, "code"),
         Quotation("x = self.norm2(x + sub_x)  # sub_x", BLOCK, "code")),
        _sub_x,
        "Both lines are residual connections with a norm. The second comment repeats a name and says nothing.",
        "add_and_norm",
    ),
    Item(
        "updated-input",
        "The updated input sequence",
        "claim",
        (Quotation(":return: The output of the encoder block, which is the updated input sequence.", BLOCK, "code"),),
        _updated_input,
        "Every token keeps its row. The row is normalised twice, so it is not only the input plus two terms.",
        "add_and_norm",
    ),
    Item(
        "layer-norm-eps",
        "The eps of the norms",
        "claim",
        (Quotation("self.norm1 = hk.LayerNorm(\n    axis=-1, param_axis=-1, create_scale=True, create_offset=True\n)",
                   BLOCK, "code"),),
        _variance,
        "The code does not name eps. It keeps the division finite where a row has no variance.",
        "add_and_norm",
    ),
)  # fmt: skip
