"""Tables, formula, code and question of the page on positions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.position_choice import PositionChoice
from encoder_core import blocks
from encoder_core.explain.first_input import FirstInput
from encoder_core.figures import dimensions, position_labels
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.inputs.positions import position_encoding


def render_position_depths(
    current: Model,
    at: Focus,
    choice: PositionChoice,
    encoding: Float[np.ndarray, "row d_model"],
    layer_input: FirstInput,
    question: Question,
    inspection: Inspection | None,
) -> None:
    """Render them for the encoding `choice`, whose sum with the rows of the table is `layer_input`."""
    has_norm = current.config.embedding_norm
    seq, d_model = current.trace.embedded.shape[1:]
    names = dimensions(d_model)
    norm, end = (r"\mathrm{norm}\bigl(", r"\bigr)") if has_norm else ("", "")
    embedding_sum = {"embedding sum": NumberTable(layer_input.total, at.labels, names)} if has_norm else {}
    norm_code: list[Callable[..., Any]] = [blocks.layer_norm, embed_inputs] if has_norm else []
    render_depths(
        {
            "embedded": NumberTable(layer_input.embedded, at.labels, names),
            **embedding_sum,
            "scaled embedding": NumberTable(current.trace.scaled_embedding[at.sentence], at.labels, names),
            "positions": NumberTable(encoding, position_labels(len(encoding)), names, first=None),
        },
        rf"\begin{{gathered}} \underbrace{{X}}_{{{seq}\times{d_model}}} = "
        rf"{norm}\underbrace{{s\,E[ids]}}_{{{seq}\times{d_model}}} + "
        rf"\underbrace{{PE}}_{{{seq}\times{d_model}}}{end} \\[26pt] {ENCODINGS[choice].definition} "
        r"\end{gathered}",
        [blocks.embed, *norm_code, position_encoding, *ENCODINGS[choice].code],
        question,
        inspection,
    )
