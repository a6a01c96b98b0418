"""The rows of the section Transformer Encoder: three blocks on two sentences of 16 tokens."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from encoder_core.analysis import relative_change
from encoder_core.figures import Line, ThemeName, bars, curves
from encoder_core.figures.style import PanelStyle
from encoder_core.parameters.cost import flops_by_part, parameters_by_part
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import ENCODER, NNX, encoder_of, encoder_run


def _refine(seed: int) -> Finding:
    layers = encoder_run(seed).trace.layers
    changes = [relative_change(layer.resid_pre, layer.resid_post) for layer in layers]

    def draw(theme: ThemeName) -> Line:
        parts: list[Matrix | str] = [Matrix(title="input", values=layers[0].resid_pre[0])]
        for number, layer in enumerate(layers, start=1):
            parts += ["→", Matrix(title=f"after block {number}", values=layer.resid_post[0])]
        return line_of([*parts], theme=theme)

    return Finding(
        judge(min(changes) > 0.05),
        ", ".join(f"{change:.0%}" for change in changes),
        f"The three blocks change the rows by {', '.join(f'**{change:.0%}**' for change in changes)} of their length, "
        "each relative to its own input.",
        draw,
    )


def _local_and_global(seed: int) -> Finding:
    layers = encoder_run(seed).trace.layers
    seq = layers[0].pattern.shape[-1]
    distance = np.abs(np.subtract.outer(np.arange(seq), np.arange(seq)))
    means = [float((layer.pattern.astype(float) * distance).sum(-1).mean()) for layer in layers]
    uniform = float(distance.mean())

    def draw(theme: ThemeName) -> Line:
        style = PanelStyle(height=220, theme=theme)
        names = [*(f"block {i + 1}" for i in range(len(means))), "equal weights"]
        return [bars(np.array([*means, uniform]), names, title="mean distance from query to key, in tokens",
                     colour="attention", show_values=True, style=style)]  # fmt: skip

    return Finding(
        judge(means[-1] > 1.25 * means[0]),
        f"mean distance {means[0]:.1f} in block 1, {means[-1]:.1f} in block {len(means)}",
        "The weighted mean distance from a query to its keys is "
        + ", ".join(f"**{mean:.2f}**" for mean in means)
        + f" tokens in blocks 1 to {len(means)}. Equal weights for all keys would give {uniform:.2f}.",
        draw,
    )


def _padding_run(seed: int, *, masked: bool, noise: bool) -> np.ndarray:
    """The output of the last 6 of 16 tokens being padding: whether they are masked, and hold other random rows."""
    rows = encoder_run(seed).trace.embedded.copy()
    if noise:
        rows[:, 10:] = np.random.default_rng(seed).standard_normal(rows[:, 10:].shape)
    visible = np.ones((2, 1, 16), bool)
    visible[:, :, 10:] = not masked
    return encoder_of(seed).trace(rows, visible).output


def _padding(seed: int, *, role: bool) -> Finding:
    changes = {
        masked: relative_change(*(_padding_run(seed, masked=masked, noise=noise)[:, :10] for noise in (False, True)))
        for masked in ((True, False) if role else (True,))
    }

    def draw(theme: ThemeName) -> Line:
        masked = not role
        before, after = (_padding_run(seed, masked=masked, noise=noise)[0] for noise in (False, True))
        which = "masked" if masked else "not masked"
        return line_of(
            [
                Matrix(title=f"output, padding {which}", values=before), "|",
                Matrix(title="other numbers in the padding", values=after), "Δ",
                Matrix(title="difference of the real tokens", values=(after - before)[:10]),
            ],
            theme=theme,
        )  # fmt: skip

    if role:
        return Finding(
            judge(changes[True] == 0 and changes[False] > 0.01),
            f"without the mask {changes[False]:.1%}",
            "Tokens 11 to 16 are padding. Other numbers in them change the outputs of the ten real tokens by "
            f"**{changes[False]:.1%}** of their length without a mask, and by **{format_number(changes[True], 1)}** "
            "with it.",
            draw,
        )
    return Finding(
        judge(changes[True] == 0),
        f"change of the real tokens: {changes[True]:g}",
        "Tokens 11 to 16 are padding, and masked as keys by a mask of shape (2, 1, 16). Other numbers in them change "
        f"the outputs of the ten real tokens by **{changes[True]:g}**.",
        draw,
    )


def _causal(seed: int) -> Finding:
    rows = encoder_run(seed).trace.embedded
    changed = rows.copy()
    changed[:, 10:] = np.random.default_rng(seed).standard_normal(rows[:, 10:].shape)
    encoder = encoder_of(seed)
    before, after = (encoder.trace(x, "causal").output for x in (rows, changed))
    moved = np.abs(after - before).max(axis=(0, 2))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="output, causal mask", values=before[0]), "|",
                Matrix(title="other tokens 11 to 16", values=after[0]), "Δ",
                Matrix(title="difference", values=(after - before)[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(moved[:10].max() == 0 and moved[10:].min() > 0),
        f"earlier tokens change by {moved[:10].max():g}",
        f"Tokens 11 to 16 are replaced. The outputs of tokens 1 to 10 change by **{moved[:10].max():g}**, those of the "
        f"others by up to **{format_number(moved[10:].max(), 2)}**.",
        draw,
    )


def _cost(seed: int) -> Finding:
    config, example = NNX.config(), NNX.example
    depths = (1, 2, 3, 6, 12)
    counts, flops = [], []
    for depth in depths:
        deeper = replace(config, num_layers=depth)
        counts.append(sum(n for part, n in parameters_by_part(deeper).items() if part != "embedding"))
        flops.append(sum(flops_by_part(deeper, example.seq, example.batch).values()))
    is_linear = all(n == counts[0] * depth for n, depth in zip(counts, depths, strict=True))

    def draw(theme: ThemeName) -> Line:
        style = PanelStyle(height=220, theme=theme)
        return [
            curves({"parameters": np.array(counts, float)}, list(depths), title="parameters", x_axis="blocks",
                   y_axis="", style=style),
            curves({"FLOP": np.array(flops, float)}, list(depths), title="FLOP of one forward pass", x_axis="blocks",
                   y_axis="", style=style),
        ]  # fmt: skip

    return Finding(
        judge(is_linear and flops[-1] == 12 * flops[0]),
        f"{counts[0]:,} parameters a block",
        f"Each block adds **{counts[0]:,}** parameters and **{flops[0] / 1e6:.2f}** million floating-point operations "
        f"for the tutorial's batch; three blocks have {counts[2]:,} and {flops[2] / 1e6:.2f} million.",
        draw,
    )


def claim(name: str, title: str, text: str, examine: Callable[[int], Finding], meaning: str,
          stage: str = "full_stack") -> Item:  # fmt: skip
    return Item(name, title, "claim", (Quotation(text, ENCODER),), examine, meaning, stage)


ENCODER_ITEMS = (
    claim("progressively-refine", "Blocks refine the representation",
          "Stacking multiple EncoderBlocks allows the model to progressively refine its understanding of the input "
          "sequence.", _refine,
          "Each block changes the representation; that is measured. Whether a change is a refinement depends on a "
          "task: the tutorial's parameters are random and have no task."),
    claim("local-to-global", "Local patterns below, global context above",
          "Each block captures increasingly abstract representations, with lower blocks focusing on local patterns "
          "and higher blocks aggregating global context.", _local_and_global,
          "The tutorial's encoder has random parameters and no positions, so no block can prefer near tokens. "
          "Training could make the claim true; nothing in the architecture does."),
    claim("padding-masks", "Padding masks",
          "Padding masks to prevent attention to padded positions.", partial(_padding, role=False),
          "The mask needs three axes, such as (batch, 1, seq): with two axes, (batch, seq) would be read as (query, "
          "key).",
          "scaled_scores"),
    claim("causal-masks", "Causal masks",
          "Causal masks to prevent access to future tokens (if used in auto-regressive settings).", _causal,
          "Nothing else mixes tokens: norms and the feed-forward network work on each token by itself.",
          "scaled_scores"),
    claim("role-of-masking", "The role of masking",
          "Masks play a crucial role in ensuring attention mechanisms focus on meaningful portions of the input "
          "sequence.",
          partial(_padding, role=True),
          "Without a mask, padding is a token like any other, and takes a part of the weights.", "scaled_scores"),
    claim("depth-and-cost", "Depth and cost",
          "Increasing the number of EncoderBlocks improves model expressiveness but comes with higher computational "
          "costs.", _cost,
          "Parameters and operations grow in proportion to the number of blocks. The other half of the sentence, on "
          "expressiveness, is not measured here."),
)  # fmt: skip
