"""The row of the figure of the whole Transformer."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.annotated.models import (
    IMAGES,
    NOTEBOOK,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

_NODES = ("input", "embedding", "positions", "encoder", "decoder", "output", "target")


def _flow(_: int) -> Finding:
    count = len(_NODES)
    figure, paper = np.zeros((count, count)), np.zeros((count, count))
    for start in range(5):
        figure[start, start + 1] = paper[start, start + 1] = 1
    paper[6, 4] = 1  # the decoder also reads the target, shifted by one
    missing = int((paper > figure).sum())

    def draw(theme: ThemeName) -> Line:
        to, start = AxisMeaning("column", "to"), AxisMeaning("row", "from")
        panels = [Matrix(title=title, values=values, kind="weights", rows=_NODES, columns=_NODES, row_axis=start,
                         column_axis=to, show_values=False)
                  for title, values in (("arrows of the figure", figure), ("of the paper", paper))]  # fmt: skip
        return line_of([panels[0], "≠", panels[1]], theme=theme)

    return Finding(
        judge(missing == 0, under_condition=bool((figure <= paper).all())),
        f"{int(figure.sum())} of {int(paper.sum())} arrows",
        f"All **{int(figure.sum())}** arrows of the figure are in the paper's figure 1. The decoder has **{missing}** "
        "more input there: the output so far, shifted by one.",
        draw,
        condition="the decoder also receives the output so far",
    )


FLOW_ITEMS = (
    Item(
        "flow-figure",
        "The flow through the Transformer",
        "figure",
        (Quotation("Transformer is an Encoder-Decoder architecture at the core, with the following flow for a sequence "
                   "of tokens (from a text sequence):", NOTEBOOK),
         Quotation("Input → Embedding → Positional Encoding → Encoder → Decoder → Output", f"{IMAGES}/flow.png")),
        _flow,
        "The paper translates: its decoder reads the encoder's output and the words that are already translated. The "
        "notebook's sentence begins “Initially introduced (and still used) for language modelling”; the paper's tasks "
        "are translation and parsing (sections 5 and 6).",
        "map",
    ),
)  # fmt: skip
