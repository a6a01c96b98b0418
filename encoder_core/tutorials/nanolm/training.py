"""The rows of the notebook's loss, number of parameters, training step and accuracy."""

from dataclasses import replace
from functools import cache

import jax
import numpy as np
from jaxtyping import Float, Int
from scipy.special import softmax

from encoder_core.analysis import one_hot
from encoder_core.figures import Line, PanelStyle, RowBarsStyle, ThemeName, curves, row_bars
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.scenes.items import HEIGHT
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.data import visible_name
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.models import (
    DATA,
    LOSS,
    TEXT,
    TRAINING,
    VOCABULARY,
    cross_entropy,
    dropout_masks,
    parameters_of,
    text_batch,
    text_logits,
)

PRINTED_PARAMETERS = 3_408_513


def _cross_entropy(seed: int) -> Finding:
    batch, logits = text_batch(seed), text_logits(seed)
    losses = cross_entropy(logits, batch.y)
    probabilities = np.take_along_axis(softmax(logits.astype(float), axis=-1), batch.y[..., None], axis=-1)[..., 0]
    difference, uniform = float(np.abs(losses + np.log(probabilities)).max()), np.log(len(VOCABULARY))
    masks, parameters = dropout_masks(seed, *batch.x.shape, shared=True), parameters_of(seed)
    dropped = forward(parameters, embed(parameters, batch.x), dropout=masks).logits[..., : len(VOCABULARY)]
    training = cross_entropy(dropped, batch.y)

    def draw(theme: ThemeName) -> Line:
        names = [visible_name(VOCABULARY[index]) for index in batch.y[0]]
        span = (0.0, float(max(losses[0].max(), training[0].max())))
        style = RowBarsStyle(row_axis="", colour="muted", span=span, height=HEIGHT, theme=theme)
        return [
            row_bars(values[0], names, title=title, style=style)
            for title, values in (("loss of each target", losses), ("with dropout", training))
        ]

    return Finding(
        judge(difference < 1e-9 and float(np.abs(losses - training).mean()) > 0.01),
        f"mean {losses.mean():.2f}",
        f"The loss of a position is −log of the probability of its target. Its mean over 80 characters of the text is "
        f"**{losses.mean():.2f}** without and **{training.mean():.2f}** with dropout; equal probabilities for 65 "
        f"characters would give ln 65 = **{uniform:.2f}**. The model is not trained.",
        draw,
    )


def _notebook_parameters(_: int) -> Finding:
    notebook = parameters_by_part(replace(CONFIG, vocab_size=len(VOCABULARY)))
    longer = parameters_by_part(CONFIG)
    total, difference = sum(notebook.values()), sum(longer.values()) - sum(notebook.values())

    def draw(theme: ThemeName) -> Line:
        values = np.array([*notebook.values()]) / 1000
        style = RowBarsStyle(row_axis="", colour="muted", decimals=1, span=(0.0, float(values.max())),
                             numbers_width=0.4, height=HEIGHT, theme=theme)  # fmt: skip
        return [row_bars(values, [*notebook], title="parameters, thousands", style=style)]

    return Finding(
        judge(total == PRINTED_PARAMETERS),
        f"{total:,}",
        f"The sum for 65 characters is **{total:,}**. The model with 100 tokens has {difference:,} more: 35 × "
        f"{difference // 35}, a row of the token table, a column of the output layer and a bias for each token.",
        draw,
    )


def accuracy(logits: Float[np.ndarray, "*row vocab"], targets: Int[np.ndarray, "*row"]) -> float:
    """The share of rows whose largest logit is that of the target."""
    return float((logits.argmax(axis=-1) == targets).mean())


def _accuracy(seed: int) -> Finding:
    batch, untrained = text_batch(seed), text_logits(seed)
    logits = untrained + 2 * one_hot(batch.y, len(VOCABULARY))
    factors = np.linspace(0.25, 3, 12)
    losses = np.array([cross_entropy(factor * logits, batch.y).mean() for factor in factors])
    shares = np.array([accuracy(factor * logits, batch.y) for factor in factors])

    def draw(theme: ThemeName) -> Line:
        return [
            curves({"mean loss": losses, "accuracy": shares}, factors.tolist(), title="loss and accuracy",
                   x_axis="factor on all logits", y_axis="", style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    low, high = losses.min(), losses.max()
    return Finding(
        judge(bool(np.ptp(shares) > 0 or np.ptp(losses) < 1e-6)),
        f"loss {low:.1f} to {high:.1f}, one accuracy",
        "The code computes `eval_loss`, the mean cross-entropy of one batch. The figure has the untrained logits with "
        "2 added to each target's, so that some are right. With a factor from 0.25 to 3 on all of them, the accuracy "
        f"is **{shares[0]:.0%}** throughout, and the loss is from **{low:.1f}** to **{high:.1f}**.",
        draw,
    )


def get_batch(key: jax.Array, data: Int[jax.Array, "character"]) -> tuple[jax.Array, jax.Array]:
    """`get_batch` of the notebook: 128 stretches of 64 characters, and the same one character later."""
    slices = jax.vmap(jax.lax.dynamic_slice, in_axes=(None, 0, None))
    starts = jax.random.randint(key, shape=(128, 1), minval=0, maxval=len(data) - 64)
    return slices(data, starts, (64,)), slices(data, starts + 1, (64,))


@cache
def batch_operations() -> int:
    """The number of operations of `get_batch` in the JAX that is installed."""
    key, data = jax.ShapeDtypeStruct((2,), np.uint32), jax.ShapeDtypeStruct((len(TEXT),), np.int32)
    return len(jax.make_jaxpr(get_batch)(key, data).eqns)


def _jit(_: int) -> Finding:
    calls, operations = np.arange(1, 11), batch_operations()
    separate, together = operations * calls, calls + 1  # the first call also compiles

    def draw(theme: ThemeName) -> Line:
        return [
            curves({"without jit": 1.0 * separate, "with jit": 1.0 * together}, calls.tolist(),
                   title="programs that Python starts", x_axis="calls of get_batch", y_axis="",
                   style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(bool((together == calls).all()), under_condition=bool(separate[-1] > together[-1])),
        f"{operations} operations in 1 program",
        f"Without `jit`, Python starts each of the **{operations}** operations of this function separately at "
        "every call. With `jit` it starts **one** program, which the first call compiles. Operations are counted here, "
        "time is not measured.",
        draw,
        condition="the function is called often with the same shapes",
    )


JIT = Item(
    "jit",
    "jit makes get_batch faster",
    "claim",
    (Quotation("The `@jax.jit` decorator compiles this function for faster execution.", DATA),),
    _jit,
    "The first call also compiles the program, which takes time of its own. The notebook calls the function about "
    "50,000 times with the same shapes; other shapes would be compiled again.",
)

TRAINING_ITEMS = (
    Item(
        "cross-entropy",
        "The loss is the cross-entropy",
        "claim",
        (Quotation("In this case the loss function `loss_fun` is the cross-entropy. It uses dropout for regularization "
                   "…",
                   LOSS),),
        _cross_entropy,
        "A model that knows nothing and says so has ln 65. An untrained model is usually worse: its probabilities "
        "differ, at random, so it is sometimes sure of a wrong character.",
        "softmax",
    ),
    Item(
        "notebook-parameters",
        "3,408,513 parameters",
        "printed result",
        (Quotation("Total number of parameters: 3_408_513", LOSS, "code"),),
        _notebook_parameters,
        "The number of characters changes the first and the last layer only. The blocks are the same in both "
        "tutorials.",
        "map",
    ),
    Item(
        "accuracy",
        "Accuracy on a validation set",
        "claim",
        (Quotation("… as well as computing accuracy on a validation set every `N_FREQ_EVAL` iterations.", TRAINING),
         Quotation("eval_loss = eval_step(var_params, *get_batch(subkey, eval_data))", TRAINING, "code")),
        _accuracy,
        "Accuracy counts the targets that are the most probable character. The loss also measures how probable they "
        "are, so the two can move apart.",
        "softmax",
    ),
)  # fmt: skip
