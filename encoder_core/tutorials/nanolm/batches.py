"""The rows of the notebook's batches: sequences, their targets, and all positions in one pass."""

import numpy as np

from encoder_core.figures import HeatmapStyle, Line, ThemeName, Window, heatmap
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.data import visible_name
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.models import (
    BLOCK_SIZE,
    DATA,
    NANOLM,
    TEXT,
    VOCABULARY,
    parameters_of,
    runs,
    text_batch,
)


def _dynamic_slice(seed: int) -> Finding:
    batch = text_batch(seed, BLOCK_SIZE)
    lengths = {len(stretch) for stretch in batch.x}
    places = np.arange(len(TEXT))
    covered = (places >= batch.starts[:, None]) & (places < batch.starts[:, None] + BLOCK_SIZE)

    def draw(theme: ThemeName) -> Line:
        return [
            heatmap(covered.astype(float), [str(row + 1) for row in range(len(covered))], Window(0, len(TEXT), 5),
                    title="the characters of each sequence",
                    style=HeatmapStyle(kind="weights", limit=1.0, row_axis=AxisMeaning("row", "sequence"),
                                       column_axis=AxisMeaning("column", "character"),
                                       height=HEIGHT, theme=theme))
        ]  # fmt: skip

    starts = ", ".join(map(str, sorted(batch.starts)))
    return Finding(
        judge(len(lengths) > 1),
        f"all lengths are {', '.join(map(str, lengths))}",
        f"The sequences start at the characters {starts}, and the lengths of all {len(batch.x)} are "
        f"**{', '.join(map(str, lengths))}**.",
        draw,
    )


def _shifted_targets(seed: int) -> Finding:
    batch = text_batch(seed)
    equal = np.array_equal(batch.x[:, 1:], batch.y[:, :-1])
    characters = [visible_name(VOCABULARY[index]) for index in (*batch.x[0], batch.y[0, -1])]
    visible = np.tri(10, 11, dtype=bool)
    targets = np.eye(10, 11, 1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="read (light) and target (dark) of each position", values=0.25 * visible + targets,
                       kind="weights", mask=visible | (targets > 0), row_axis="position", column_axis="token",
                       columns=characters, show_values=False)
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(equal),
        "y[:, :-1] = x[:, 1:]",
        "In all 8 sequences, y without its last character equals x without its first. One sequence of "
        f"{batch.x.shape[1]} characters gives **{batch.x.shape[1]}** predictions.",
        draw,
    )


def _teacher_forcing(seed: int) -> Finding:
    parameters, ids = parameters_of(seed), NANOLM.inputs(seed).inputs.ids[:1]
    whole = runs(seed).ids.logits[0]
    lengths = range(2, ids.shape[1] + 1, 2)
    steps = np.stack([forward(parameters, embed(parameters, ids[:, :n])).logits[0, -1] for n in lengths])
    difference = float(np.abs(whole[1::2] - steps).max())

    def draw(theme: ThemeName) -> Line:
        names = [str(index) for index in range(CONFIG.vocab_size)]
        return line_of(
            [
                Matrix(title="logits, one pass", values=whole, row_axis="position", column_axis="id", columns=names,
                       marks=[(length - 1, None) for length in lengths]),
                "=",
                Matrix(title=f"last logits of {len(steps)} passes", values=steps, row_axis="position", column_axis="id",
                       rows=[str(length) for length in lengths], columns=names),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(difference < 1e-4),
        f"difference {format_number(difference, 1)}",
        f"One pass over the whole sentence gives the logits of all {len(whole)} positions. Passes over its first "
        f"{', '.join(map(str, lengths))} tokens give the same last logits: the largest difference is "
        f"**{format_number(difference, 1)}**.",
        draw,
    )


BATCH_ITEMS = (
    Item(
        "dynamic-slice",
        "Sequences of varying lengths",
        "claim",
        (Quotation("This function uses JAX's jax.lax.dynamic_slice function to efficiently handle sequences of varying "
                   "lengths within batches.", DATA),
         Quotation("x = dynamic_slice_vmap(data, ix, (BLOCK_SIZE,))", DATA, "code")),
        _dynamic_slice,
        "What varies is the start. `dynamic_slice` takes the start as an array and the size as a constant, because a "
        "program compiled by `jax.jit` has fixed shapes.",
    ),
    Item(
        "shifted-targets",
        "Targets are the inputs, one later",
        "claim",
        (Quotation("The target sequence is simply the input sequence shifted by one position …", DATA),),
        _shifted_targets,
        "Each row reads the characters up to its position and has the next one as its target. All rows are trained at "
        "once.",
    ),
    Item(
        "teacher-forcing",
        "Teacher forcing: all positions in one pass",
        "claim",
        (Quotation("… as the goal of the language model is to predict the next character given the previous ones.",
                   DATA),),
        _teacher_forcing,
        "During training each position reads the true previous characters, whatever the model would have predicted "
        "there: this is called teacher forcing. Therefore one pass trains all positions. When the model generates "
        "text, it reads its own characters instead, one pass for each, and its errors become its input.",
        "full_stack",
    ),
)  # fmt: skip
