"""The rows on Haiku's functions: transform, without_apply_rng, next_rng_key, and the random keys of dropout."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.haiku.draws import KEPT_WITHOUT_MODULE
from encoder_core.tutorials.haiku.models import (
    BLOCK,
    CONFIG,
    FEED_FORWARD,
    HAIKU,
    MULTI_HEAD,
    block_run,
    encoder_run,
    example_input,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts


def _without_apply_rng(seed: int) -> Finding:
    outputs = [block_run(seed, dropout).trace.output[0] for dropout in (None, seed, seed + 1)]
    layer = block_run(seed, seed).trace.layers[0]
    pattern_sums = float(np.abs(layer.pattern.sum(-1) - 1).max())
    differ = float(np.abs(outputs[1] - outputs[2]).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="evaluation: no key", values=outputs[0]), "",
                        Matrix(title="training, first key", values=outputs[1]), "≠",
                        Matrix(title="training, second key", values=outputs[2])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(pattern_sums < 1e-5 and differ > 0),
        f"two keys differ by {differ:.2f}",
        f"Attention draws no random numbers, so `test_mha` needs no key. The encoder block in training mode does: its "
        f"outputs with two keys differ by up to **{differ:.2f}**.",
        draw,
    )


def _pure(seed: int) -> Finding:
    first, second = (HAIKU.parameters(seed=seed) for _ in range(2))
    same_init = all(np.array_equal(first[name], second[name]) for name in first)
    run, again = encoder_run(seed), encoder_run.__wrapped__(seed)
    same_apply = np.array_equal(run.trace.output, again.trace.output)
    name = "layers.0.attention.query.kernel"

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="x", values=example_input(seed)[0]), "→",
                        Matrix(title="apply(init(key), x)", values=run.trace.output[0]), "=",
                        Matrix(title="the same again", values=again.trace.output[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(same_init and same_apply),
        "two calls, equal numbers",
        f"Two draws with one seed give equal parameters, and two forward passes with them equal outputs, to the last "
        f"bit. The parameters are an argument: **{len(first) - 1}** arrays by name, such as `{name}`.",
        draw,
    )


def _next_rng_key(_: int) -> Finding:
    kept = int(KEPT_WITHOUT_MODULE.sum())

    def draw(theme: ThemeName) -> Line:
        dropped = Matrix(title="dropout of ones at rate 0.5, without a Module", values=2.0 * KEPT_WITHOUT_MODULE,
                         row_axis="row", column_axis="column", show_values=True)  # fmt: skip
        return line_of([dropped], theme=theme)

    return Finding(
        judge(kept == 0),
        f"{kept} of 32 kept, no Module",
        "`hk.dropout(hk.next_rng_key(), 0.5, x)` ran in a function under `hk.transform` that has no Module. It kept "
        f"**{kept}** of 32 numbers and doubled them.",
        draw,
    )


def _dropout_needs_rng(seed: int) -> Finding:
    training, evaluation = block_run(seed, seed).trace, block_run(seed).trace
    kept = training.kept
    assert kept is not None
    assert kept.layers[0].attn_out is not None
    dropped = ~kept.layers[0].attn_out[0]
    needs = not np.array_equal(training.output, evaluation.output) and evaluation.kept is None

    def draw(theme: ThemeName) -> Line:
        before, after = (trace.layers[0].attn_out[0][:, :24] for trace in (evaluation, training))
        parts: Parts = [Matrix(title="attention(x)", values=before, title_colour="attention"), "→",
                        Matrix(title="after dropout; dropped numbers hatched", values=after,
                               mask=~dropped[:, :24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(evaluation.kept is not None, under_condition=needs),
        f"{int(dropped.sum())} of {dropped.size} dropped",
        f"In training mode, dropout after attention drops **{int(dropped.sum())}** of {dropped.size} numbers of the "
        f"first sentence (rate {CONFIG.dropout}). In evaluation mode nothing is random, and `rng=None` works.",
        draw,
        condition="is_train=True",
    )


TRANSFORM_ITEMS = (
    Item(
        "without-apply-rng",
        "without_apply_rng",
        "claim",
        (Quotation("As long as the function is not actually using random numbers during computation, we can use "
                   "without_apply_rng.", MULTI_HEAD),),
        _without_apply_rng,
        "Haiku raises an error where such a function asks for a key, as the block does in training mode.",
    ),
    Item(
        "pure-functions",
        "init and apply are pure",
        "claim",
        (Quotation("transform does this by transforming the function into a pair of functions that are pure (as "
                   "required by JAX) init and apply.", MULTI_HEAD),),
        _pure,
        "A pure function depends on its arguments only. The parameters are an argument, so one function serves "
        "all parameters. The encoder of these pages works in the same way.",
    ),
)  # fmt: skip

NEXT_KEY_ITEM = Item(
    "next-rng-key",
    "Where next_rng_key may be called",
    "claim",
    (Quotation("In the last cell, we used hk.next_rng_key(). You can call this haiku utility function only from "
               "within a haiku.Module to get a new PNRGenerator key.", FEED_FORWARD),),
    _next_rng_key,
    "The function must run under hk.transform; a Module is not needed. Outside of hk.transform the call raises an "
    "error. The numbers are constants, drawn with Haiku and the first key of the tutorial.",
)  # fmt: skip

RNG_ITEM = Item(
    "dropout-needs-rng",
    "Dropout needs a key",
    "claim",
    (Quotation("# Since dropout is stochastic, we need to pass a rng to the forward\n"
               "out = enc_blk.apply(rng=rng_key, params=params, x=x, mask=mask, is_train=True)", BLOCK, "code"),),
    _dropout_needs_rng,
    "The key decides which numbers are dropped: the same key drops the same numbers again. The tutorial uses one key "
    "for x, for the parameters and for dropout.",
    "feed_forward",
)  # fmt: skip
