"""The rows on the figure of the positional encodings."""

from dataclasses import replace

import numpy as np

from encoder_core.analysis import cosines, similarity_by_distance
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.article.models import ARTICLE, WALKTHROUGH, T, article_encoder
from encoder_core.tutorials.article.positions import LEAST_CHANGE, PAPER, ROWS, WRITTEN, encoding_matrix, moving_columns
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import curve_panel


def _rows_and_columns(seed: int) -> Finding:
    dimension = np.arange(64)
    angles = {"formula": 10_000.0 ** (-2 * (dimension // 2) / 64), "code": 10_000.0 ** (-2 * dimension / 64)}
    shared = {name: int((angle[::2] == angle[1::2]).sum()) for name, angle in angles.items()}

    def draw(theme: ThemeName) -> Line:
        series = {name: angle[:16] for name, angle in angles.items()}
        return [
            curve_panel(
                series,
                range(16),
                title="angle of each dimension at position 1",
                x_axis="dimension",
                y_axis="radians",
                theme=theme,
            )
        ]

    return Finding(
        judge(shared["formula"] == 0, under_condition=(shared["formula"], shared["code"]) == (32, 0)),
        f"{len(set(angles['formula']))} values of i for 64 columns",
        f"In the formula, **{shared['formula']}** of 32 pairs of neighbouring columns share one angle, so i goes from "
        f"0 to 31. In the code **{shared['code']}** pairs do: there each column is an i of its own.",
        draw,
        "i is read as in the code, where each column is an i of its own",
    )


def _adjacent_rows(seed: int) -> Finding:
    square = cosines(WRITTEN.astype(float), WRITTEN.astype(float))
    moving = np.ptp(WRITTEN, axis=0) > LEAST_CHANGE
    few = cosines(WRITTEN[:, moving].astype(float), WRITTEN[:, moving].astype(float))
    adjacent, far, far_few = square.diagonal(1).mean(), square[0, -1], few[0, -1]
    sines = few.diagonal(1).mean()

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="cosines of the rows, all 64 dimensions", values=square, row_axis="position",
                       column_axis="other position"),
                "≠",
                Matrix(title=f"only the {moving.sum()} dimensions that change", values=few, row_axis="position",
                       column_axis="other position"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(adjacent > 0.9 and far < 0.5, under_condition=sines > 0.9 and far_few < 0.5),
        f"cosine {format_fixed(adjacent, 2)} and {format_fixed(far, 2)}",
        f"In the published figure's {ROWS} rows, adjacent rows have a mean cosine of **{adjacent:.2f}**, and the "
        f"first and the last row **{format_fixed(far, 2)}**. In the **{int(moving.sum())}** dimensions that change by "
        f"more than {LEAST_CHANGE}, it is **{format_fixed(sines, 2)}** and **{format_fixed(far_few, 2)}**.",
        draw,
        "only the first dimensions are compared, those that change",
    )


def _distance_and_order(seed: int) -> Finding:
    dots = {name: encoding.astype(float) @ encoding.T.astype(float) for name, encoding in
            (("formula", PAPER), ("code", WRITTEN))}  # fmt: skip
    spread = {}
    for name, each in dots.items():
        similarity = similarity_by_distance(each)
        spread[name] = float((similarity.high - similarity.low).max())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"PE(p) · PE(q), {name}", values=each, row_axis="position", column_axis="other position")
                for name, each in dots.items()
            ],
            theme=theme,
        )

    return Finding(
        judge(spread["code"] < 1e-3, under_condition=spread["formula"] < 1e-3),
        f"spread {spread['code']:.2f} at one distance",
        f"Dot products of encodings at the same distance differ by at most **{format_number(spread['formula'], 1)}** "
        f"with the formula and by up to **{spread['code']:.2f}** with the code.",
        draw,
        "the exponent is that of the formula",
    )


def _positional_figure(seed: int) -> Finding:
    example = replace(ARTICLE.example, seq=ROWS).draw(ARTICLE.config("as written"), seed)
    trace = article_encoder(seed).trace(example.inputs.ids[:1])
    embeddings, total = trace.token_embedding[0], trace.embedded[0]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                encoding_matrix("Positional Encodings", WRITTEN),
                "+",
                encoding_matrix("Word Embeddings", embeddings),
                "=",
                encoding_matrix("Positional Encodings + Embeddings", total),
            ],
            theme=theme,
        )

    error = np.abs(WRITTEN + embeddings - total).max()
    return Finding(
        judge(error < 1e-5),
        f"largest difference {format_number(error, 1)}",
        f"The input of the block is the sum of the other two to **{format_number(error, 1)}**. As in the published "
        f"figure, the columns of the encodings look constant after the first {moving_columns(WRITTEN)}: the other "
        f"**{64 - moving_columns(WRITTEN)}** of 64 change by less than {LEAST_CHANGE}.",
        draw,
    )


POSITION_FIGURE_ITEMS = (
    Item(
        "rows-and-columns",
        "Columns and the variable i",
        "claim",
        (Quotation("rows represent the position of a token in the sequence (the pos variable) while columns represent "
                   "the embedding dimension (the i variable).", T),),
        _rows_and_columns,
        "In the formula, two neighbouring columns share one i. Reading i as the column gives the encoding of the code.",
        "positions",
    ),
    Item(
        "adjacent-rows",
        "Near positions are similar, far ones differ",
        "claim",
        (Quotation("Moreover, we see that adjacent rows share similar values, whereas the first and last rows are "
                   "wildly different.", T),),
        _adjacent_rows,
        "Most columns hardly change over so few rows. They make all rows similar, so whole rows at the two ends are "
        "still close in direction; what differs are the first dimensions.",
        "positions",
    ),
    Item(
        "distance-and-order",
        "Distance and order of words",
        "claim",
        (Quotation("This property is helpful for the model to assess the distance between words in the sequence as "
                   "well as their ordering.", T),),
        _distance_and_order,
        "With a sine and a cosine of each angle, PE(p) · PE(q) depends on the distance p − q alone. It is the same for "
        "p − q and q − p: the order needs the learned matrices W_Q and W_K between the two.",
        "positions",
    ),
    Item(
        "positional-figure",
        "Positional encodings + embeddings",
        "figure",
        (Quotation("Adding Positional Encoding to Word Embeddings", WALKTHROUGH),
         Quotation("Positional embeddings are the sum of word embeddings and positional encodings.", T),
         Quotation("Finally, the third plot represents the sum of positional encodings and embeddings, which is the "
                   "output of the embedding block.", T)),
        _positional_figure,
        "The published image has 20 rows; the notebook's figure has the 10 of the batch. No factor √d stands before "
        "the embeddings.",
        "positions",
    ),
)  # fmt: skip
