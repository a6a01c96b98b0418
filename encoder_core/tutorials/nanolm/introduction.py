"""The rows of the notebook's introduction: what the model predicts, the cost of training, the optimizer."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from encoder_core.figures import Line, Panel, RowBarsDetails, RowBarsStyle, ThemeName, row_bars, span_of
from encoder_core.parameters.cost import flops_by_part
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.forward import CONFIG
from encoder_core.tutorials.nanolm.models import (
    BATCH_SIZE,
    BLOCK_SIZE,
    LEARNING_RATE,
    N_ITERATIONS,
    PAGE,
    TRAINING,
    VOCABULARY,
    parameters_of,
    runs,
    text_batch,
)

WALL_SECONDS = 22 * 60 + 48
CORE_RATE = 1e11  # floating-point operations a second: about the most of a CPU core
OPTIMIZERS = ("adam", "adamw", "sgd")  # of optax, among others; a test asks optax
_WEIGHT_DECAY, _EPS = 1e-4, 1e-8  # defaults of optax.adamw


def _next_character(seed: int) -> Finding:
    logits = runs(seed).ids.logits[0], runs(seed).changed.logits
    change = np.abs(logits[1] - logits[0]).max(axis=-1).T  # (position of the logits, changed token)
    later = np.triu(np.ones(change.shape, bool), 1)
    before, after = float(change[later].max()), float(change[~later].min())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="largest change of a logit", values=change, kind="weights", row_axis="position",
                       column_axis="token", own_scale=True, show_values=False)
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(before < 1e-5 and after > 1e-3),
        f"change before: {format_number(before, 1)}",
        "Rows are the positions of the logits, columns the token that gets another id. Logits before the changed "
        f"token change by at most **{format_number(before, 1)}**; its own and all later ones change by at least "
        f"**{after:.2f}**.",
        draw,
    )


def training_operations() -> dict[str, float]:
    """Operations of the notebook's training by part: a step costs three forward passes, one of them for the loss."""
    notebook = replace(CONFIG, vocab_size=len(VOCABULARY))
    forward = flops_by_part(notebook, BLOCK_SIZE, BATCH_SIZE)
    return {part: 3.0 * N_ITERATIONS * count for part, count in forward.items()}


def _manageable_size(_: int) -> Finding:
    parts = training_operations()
    total = sum(parts.values())
    rate, hours = total / WALL_SECONDS, total / CORE_RATE / 3600

    def draw(theme: ThemeName) -> Line:
        values = np.array([*parts.values()]) / 1e15
        style = RowBarsStyle(row_axis="", colour="muted", span=(0.0, float(values.max())), height=180, theme=theme)
        footer = f"sum {total / 1e15:.1f}"
        return [
            row_bars(values, [*parts], title="operations, in 10¹⁵", details=RowBarsDetails(footer=footer), style=style)
        ]

    return Finding(
        judge(hours < 1, under_condition=rate > CORE_RATE),
        f"{format_number(total, 2)} operations",
        f"The matrix products of {N_ITERATIONS:,} training steps take **{format_number(total, 2)}** operations. In the "
        f"printed 22 min 48 s, these are **{format_number(rate, 2)}** a second. A CPU core with 10¹¹ a second needs "
        f"about **{hours:.0f} hours**. This is computed from the sizes; nothing was trained here.",
        draw,
        condition="a GPU trains the model",
    )


def first_steps(
    gradient: Float[np.ndarray, "number"], values: Float[np.ndarray, "number"]
) -> tuple[Float[np.ndarray, "number"], Float[np.ndarray, "number"]]:
    """The first update of SGD, and that of AdamW with optax's defaults (Loshchilov & Hutter 2019, algorithm 2)."""
    gradient = gradient.astype(float)
    adamw = gradient / (np.abs(gradient) + _EPS) + _WEIGHT_DECAY * values
    return -LEARNING_RATE * gradient, -LEARNING_RATE * adamw


def _solver(seed: int) -> Finding:
    name = "adamw".replace("adam", "sgd")
    letters = "abcdefghij"
    ids = [VOCABULARY.index(letter) for letter in letters]
    batch, logits = text_batch(seed), runs(seed).text.logits
    targets = np.bincount(batch.y.ravel(), minlength=CONFIG.vocab_size) / batch.y.size
    gradient = (softmax(logits.astype(float), axis=-1).mean(axis=(0, 1)) - targets)[ids]
    sgd, adamw = first_steps(gradient, parameters_of(seed)["output_head.bias"][ids])
    ratio = np.sqrt((adamw**2).mean() / (sgd**2).mean())

    def draw(theme: ThemeName) -> Line:
        columns = {"gradient": gradient, "step of sgd × 1000": 1000 * sgd, "step of adamw × 1000": 1000 * adamw}
        parts: list[Panel] = []
        for title, values in columns.items():
            span = span_of(values) if title == "gradient" else span_of(1000 * adamw, 1000 * sgd)
            parts.append(
                row_bars(values, [*letters], title=title,
                         style=RowBarsStyle(row_axis="", span=span, decimals=3 if title == "gradient" else 2,
                                            height=HEIGHT, theme=theme))
            )  # fmt: skip
        return [parts[0], "→", parts[1], "≠", parts[2]]

    return Finding(
        judge(name in OPTIMIZERS),
        f"optax.{name}",
        f"The code has `optax.adamw`, so the replacement gives `optax.{name}`, which optax does not have. The bars "
        f"show the output biases of ten letters: the first step of AdamW is **{ratio:.0f}** times as long as that of "
        f"SGD with the same learning rate, {LEARNING_RATE:g}.",
        draw,
    )


INTRODUCTION_ITEMS = (
    Item(
        "next-character",
        "Only earlier characters count",
        "claim",
        (Quotation("The core idea is to train a model that can predict the next character in a sequence of text based "
                   "on "
                   "the characters that came before it.", PAGE),),
        _next_character,
        "The logits at a position predict the token after it, from that position's token and those before it. The "
        "causal mask makes sure of that in every layer.",
        "full_stack",
    ),
    Item(
        "manageable-size",
        "A dataset of manageable size",
        "claim",
        (Quotation("Manageable Size: Since we're building a small-scale model, the Tiny Shakespeare dataset provides a "
                   "suitable training corpus without overwhelming computational resources.", PAGE),
         Quotation("JAX running on GPU", PAGE, "code"),
         Quotation("Wall time: 22min 48s", TRAINING, "code")),
        _manageable_size,
        "The text itself is small: about 1 MB. The cost comes from reading it several hundred times. Forward pass and "
        "gradients together take about three times the operations of the forward pass.",
        "map",
    ),
    Item(
        "solver",
        "Replace adam with sgd",
        "claim",
        (Quotation("# To run with SGD instead of adam, replace `adam` with `sgd`\nopt = optax.adamw("
                   "learning_rate=LEARNING_RATE)", TRAINING, "code"),
         Quotation("In this example we'll use the optax.adamw solver.", PAGE)),
        _solver,
        "What is meant is `optax.sgd`. The first step of AdamW depends on the sign of each gradient, not on its size, "
        "so a learning rate that suits one of them does not suit the other.",
    ),
)  # fmt: skip
