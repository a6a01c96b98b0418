"""The rows of the introduction: what attention replaces, and what it costs (table 1 of the paper, computed)."""

import numpy as np

from encoder_core.edits import HeadFactor
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.inputs.positions import sinusoids
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.annotated.models import (
    HEADS,
    HIDDEN,
    NOTEBOOK,
    SEQ,
    D,
    add_and_norm_as_written,
    attention_as_written,
    encoder,
    encodings,
    feed_forward_as_written,
    intended_run,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel, curve_panel

KERNEL = 3  # of the convolutions
_OUTPUT = AxisMeaning("row", "output position")
_INPUT = AxisMeaning("column", "input position")


def window(seq: int) -> np.ndarray:
    """True where an output of a convolution of width 3 depends on an input: itself and its two neighbours."""
    return np.abs(np.subtract.outer(np.arange(seq), np.arange(seq))) <= 1


def layers_until_all(seq: int, *, dilated: bool) -> int:
    """The number of convolutions of width 3 after which the first output depends on the last of `seq` inputs.

    Each layer reaches one input further, or with dilation 1, 3, 9, ... inputs.
    """
    reach = layers = 0
    while reach < seq - 1:
        reach += KERNEL**layers if dilated else 1
        layers += 1
    return layers


def _replicates(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    heads = add_and_norm_as_written(attention_as_written(seed).out)
    written = add_and_norm_as_written(feed_forward_as_written(rng, heads, HIDDEN)).shape
    intended = intended_run(seed).trace.output.shape
    same_positions = bool(np.array_equal(encodings()[0], sinusoids(SEQ, D)))

    def draw(theme: ThemeName) -> Line:
        sizes = {"code, first": written[0], "paper, first": intended[0], "code, last": written[-1],
                 "paper, last": intended[-1]}  # fmt: skip
        return [bar_panel(sizes, title="output of the encoder: first and last axis", theme=theme)]

    return Finding(
        judge(written == intended, under_condition=same_positions),
        f"{written}, not {intended}",
        f"For one sentence, the notebook's encoder returns **{written}**; an encoder of these sizes as in the paper "
        f"returns **{intended}**. The position encoding equals the paper's.",
        draw,
        condition="only the position encoding is meant: the encoder is unfinished",
    )


def _only_attention(seed: int) -> Finding:
    block = encoder(seed)
    parts = {part: n for part, n in block.parameters_by_part.items() if part in ("attention", "feed-forward", "norms")}
    feed_forward = parts["feed-forward"]
    share = feed_forward / sum(parts.values())
    off = [HeadFactor(0, head) for head in range(HEADS)]
    x = np.asarray(encodings()).copy()
    before = block.trace(x, edits=off).output
    x[0, 4] += 1
    change = np.abs(block.trace(x, edits=off).output - before)[0].max(-1)
    others = float(np.delete(change, 4).max())

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(parts, title="parameters of a block", theme=theme)]

    return Finding(
        judge(feed_forward == 0, under_condition=others == 0),
        f"{share:.0%} of a block is feed-forward",
        f"**{share:.0%}** of the parameters of a block are in its feed-forward layers. With all heads switched off, a "
        f"change of token 5 changes the outputs of other tokens by **{others:g}**: only attention connects tokens.",
        draw,
        condition="it means that only attention connects the tokens",
    )


def _window_limit(_: int) -> Finding:
    one = window(12).astype(float)
    reaches = {layers: np.minimum(np.linalg.matrix_power(one, layers), 1.0) for layers in (1, 3)}
    stacked = layers_until_all(12, dilated=False)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [
            Matrix(title=f"{layers} layer{'s' * (layers > 1)}", values=reach, kind="weights", row_axis=_OUTPUT,
                   column_axis=_INPUT)
            for layers, reach in reaches.items()
        ]  # fmt: skip
        attention = Matrix(title="1 layer of attention", values=np.ones((12, 12)), kind="weights", row_axis=_OUTPUT,
                           column_axis=_INPUT)  # fmt: skip
        return line_of([*parts, "", attention], theme=theme)

    return Finding(
        judge(stacked > 11, under_condition=int(one.sum(1).max()) == KERNEL),
        f"{KERNEL} inputs a layer, all 12 after {stacked}",
        f"With a width of {KERNEL}, an output of one convolution depends on **{KERNEL}** inputs. After 3 layers it "
        f"depends on **{int(reaches[3].sum(1).max())}**, and after **{stacked}** layers on all 12.",
        draw,
        condition="it is about one layer",
    )


def _recurrence(_: int) -> Finding:
    lengths = np.array([5, 10, 20, 40, 80, 160])
    recurrent, attention = lengths * D**2, lengths**2 * D

    def draw(theme: ThemeName) -> Line:
        panel = curve_panel({"recurrent: n d²": recurrent.astype(float), "attention: n² d": attention.astype(float)},
                            [str(n) for n in lengths], title=f"operations of a layer, d = {D}", x_axis="n, tokens",
                            y_axis="", theme=theme)  # fmt: skip
        steps = curve_panel({"recurrent: n": lengths.astype(float), "attention: 1": np.ones(len(lengths))},
                            [str(n) for n in lengths], title="steps that must wait for each other",
                            x_axis="n, tokens", y_axis="", theme=theme)  # fmt: skip
        return [panel, "", steps]

    return Finding(
        judge(bool((recurrent >= attention).all()), under_condition=bool((lengths > 1).all())),
        f"{SEQ} steps instead of 1",
        f"For n = {SEQ} tokens, a recurrent layer needs **{SEQ}** steps one after the other, attention **1**. In "
        f"operations it is the reverse: n d² = **{SEQ * D**2:,}** against n² d = **{SEQ**2 * D:,}**.",
        draw,
        condition="it counts sequential steps; recurrence has fewer operations where n > d",
    )


def _both_limits(seed: int) -> Finding:
    x, block = np.asarray(encodings())[:, :12], encoder(seed)
    before = block.trace(x).output[0]
    changes = np.empty((12, 12))
    for token in range(12):
        moved = x.copy()
        moved[0, token] += 1e-1 * np.arange(D)
        changes[:, token] = np.abs(block.trace(moved).output[0] - before).max(-1)
    paths = {"attention": 1, "dilated": layers_until_all(SEQ, dilated=True),
             "convolution": layers_until_all(SEQ, dilated=False), "recurrent": SEQ - 1}  # fmt: skip

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(paths, title=f"longest path between two of {SEQ} tokens, in layers or steps", theme=theme)]

    return Finding(
        judge(bool((changes > 0).all()) and paths["attention"] == 1),
        f"path 1, not {paths['recurrent']}",
        f"In one block, all **{int((changes > 0).sum())}** of 144 outputs react to a change of an input. Between the "
        f"first and the last of {SEQ} tokens, the path has the length **1** with attention, "
        f"**{paths['dilated']}** with dilated convolutions of width {KERNEL}, **{paths['convolution']}** with "
        f"ordinary ones and **{paths['recurrent']}** with recurrence.",
        draw,
    )


INTRODUCTION_ITEMS = (
    Item(
        "replicates",
        "A replication of the Transformer",
        "claim",
        (Quotation("This notebook is going to be an attempt to replicate the implementation of the transformer "
                   "architecture", NOTEBOOK),),
        _replicates,
        "The embedding, the positions and the pieces of an encoder are there. The encoder does not fit together "
        "yet: a second block would need inputs of 20 numbers.",
        "map",
    ),
    Item(
        "only-self-attention",
        "Only self-attention",
        "claim",
        (Quotation("Transformer is a neural network architecture to model sequences using only self attention",
                   NOTEBOOK),),
        _only_attention,
        "The feed-forward layers hold most of the parameters. They process each token alone.",
        "map",
    ),
    Item(
        "window-limit",
        "The window of a convolution",
        "claim",
        (Quotation("convs can only attend a specific number of sequence elements at a time (window limit)", NOTEBOOK),),
        _window_limit,
        "Each further layer adds one neighbour on both sides, so a stack of convolutions reaches all inputs.",
    ),
    Item(
        "recurrence-slow",
        "Recurrence is sequential",
        "claim",
        (Quotation("recurrent networks work sequentially, which make them slower.", NOTEBOOK),),
        _recurrence,
        "Each step of a recurrent layer waits for the step before it, whatever the hardware. The numbers of operations "
        "are those of table 1 of the paper; the two are equal where n = d.",
    ),
    Item(
        "both-limits",
        "Attention has neither limit",
        "claim",
        (Quotation("Self Attention removes both these limitations by parallely modelling the sequence against itself "
                   "(gets rid of the window limit as well!).", NOTEBOOK),),
        _both_limits,
        "Without a mask, every output depends on every input after one block. The price is n² scores. The longest "
        "sequence of the notebook is still limited by its table of 100 positions.",
        "scaled_scores",
    ),
)  # fmt: skip
