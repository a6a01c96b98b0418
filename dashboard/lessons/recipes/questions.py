"""The questions of the recipes, about what the code does against what the text says, computed from their models."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.recipes.models import note_model
from encoder_core import RECIPES, EncoderConfig
from encoder_core.analysis.matrices import root_mean_square
from encoder_core.explain.recompute import difference
from encoder_core.recipes.collapse import collapsed_feed_forward
from encoder_core.support.number_format import format_number

_NOTES = "the view “Text and code”"
_SAME = 1e-3  # difference as a fraction of the largest number


@st.cache_resource(max_entries=16, show_spinner=False)
def recipe_question(name: str, seed: int) -> Question | None:
    """The question of a recipe, for its parameters and batch of this seed; None where it has none."""
    ask = _QUESTIONS.get(name)
    return ask(seed) if ask else None


def _variants(name: str) -> tuple[EncoderConfig, EncoderConfig]:
    """The configs of the recipe's first note, as intended and as written. All first notes have both."""
    note = RECIPES[name].notes[0]
    assert note.as_intended is not None
    assert note.as_written is not None
    return note.as_intended, note.as_written


def _nnx(seed: int) -> Question:
    """Two linear layers without an activation between them."""
    intended, written = _variants("nnx")
    model = note_model("nnx", written, seed)
    layer, collapsed = model.trace.layers[0], collapsed_feed_forward(model.parameters, 0)
    down = "layers.0.mlp.down"
    two = layer.mlp_act[0] @ model.parameters[f"{down}.kernel"] + model.parameters[f"{down}.bias"]
    rounding = difference(two, collapsed(layer.mlp_in[0]))
    other = difference(note_model("nnx", intended, seed).trace.layers[0].mlp_out[0], layer.mlp_out[0])
    d, d_ff = written.d_model, written.d_ff
    return Question(
        f"the tutorial's code expands each token from {d} to {d_ff} numbers and contracts it to {d} again; its GELU "
        "comes after both linear layers instead of between them. What can these two compute?",
        f"no more than one linear layer of {d} × {d}",
        f"Their product is one matrix: in layer 1, a single linear layer gives the same numbers up to rounding "
        f"({format_number(rounding, 1)} of the largest).",
        [
            WrongOption(
                "the same as with the GELU between them",
                f"A GELU after both linear layers sees their sums, not the {d_ff} neurons. The output differs by "
                f"{format_number(100 * other, 2)}% of its largest number.",
                f"{_NOTES}, note 1",
            ),
            WrongOption(
                f"more than one linear layer, because they have {d_ff} neurons",
                "Without an activation between them, the width in the middle adds parameters but no functions.",
                f"{_NOTES}, note 1: the rank of the product",
            ),
        ],
    )


def _haiku(seed: int) -> Question:
    """A functional update whose result is discarded."""
    intended, written = _variants("haiku")
    added = note_model("haiku", written, seed).trace.position_encoding
    meant = note_model("haiku", intended, seed).trace.position_encoding
    assert not added.any(), "the table of the tutorial's code stays zero"
    return Question(
        "the tutorial's code fills the table of positions with `pe.at[...].set(...)` and does not assign the result. "
        "What would the model add to the embeddings?",
        "zeros",
        "A JAX array cannot be changed: `.at[...].set(...)` returns a new one, and the table of zeros stays. As "
        f"intended, its numbers would lie between {format_number(meant.min(), 2)} and {format_number(meant.max(), 2)}.",
        [
            WrongOption(
                "sines and cosines, as its text says",
                "This would need `pe = pe.at[...].set(...)`. In NumPy, `pe[...] = ...` changes the array itself.",
                f"{_NOTES}, note 1",
            ),
            WrongOption(
                "nothing: the code stops with an error",
                "Calling `.at[...].set(...)` without using its result is valid Python, so nothing warns the reader.",
                f"{_NOTES}, note 1",
            ),
        ],
    )


def _nanolm(seed: int) -> Question:
    """The width of all heads together, taken for the width of one."""
    intended, written = _variants("nanolm")
    seq, heads, width = RECIPES["nanolm"].example.seq, written.num_heads, written.qkv_width
    return Question(
        f"the text calls {width} the size of a head, and there are {heads} heads; the code passes {width} as "
        f"`qkv_features`. What is the largest rank that Q Kᵀ of one head can have in this code, for {seq} tokens?",
        f"{min(written.d_head, seq)}",
        f"`qkv_features` is the width of all heads together, so each head has {width} / {heads} = {written.d_head} "
        f"columns in Q and K, and the rank of a product is at most that number. With heads of {intended.d_head}, as "
        f"intended, it could be {min(intended.d_head, seq)}.",
        [
            WrongOption(
                f"{min(intended.d_head, seq)}",
                f"This holds for heads of {width} columns, as the text has them.",
                f"{_NOTES}: the ranks of all heads",
            ),
            WrongOption(
                f"{width}",
                f"A matrix of {seq} × {seq} numbers has a rank of at most {seq}.",
                f"{_NOTES}: the ranks of all heads",
            ),
        ],
    )


def _annotated(seed: int) -> Question:
    """Embeddings divided by sqrt(d_model) next to positions of the usual size."""
    intended, written = _variants("annotated")
    multiplied = root_mean_square(note_model("annotated", intended, seed).trace.scaled_embedding)
    trace = note_model("annotated", written, seed).trace
    embedding, position = root_mean_square(trace.scaled_embedding), root_mean_square(trace.position_encoding)
    ratio = format_number(position / embedding, 2)
    assert position > 2 * embedding, "the division makes the embeddings smaller than the positions"
    return Question(
        f"the paper multiplies embeddings by √d_model, the tutorial divides them by it (d_model = {written.d_model}). "
        "Then sines and cosines are added. Which part of the sum is larger in the tutorial's code?",
        "the positions",
        f"In the variant as written, their root mean square is {format_number(position, 2)}, that of the scaled "
        f"embeddings {format_number(embedding, 2)}: the positions are {ratio} times as large.",
        [
            WrongOption(
                "the embeddings",
                f"They would be after a multiplication by √{written.d_model}; the tutorial makes them smaller instead.",
                f"{_NOTES}, note 1",
            ),
            WrongOption(
                "both have about the same size",
                f"Multiplied, the embeddings would have {format_number(multiplied, 2)}; the division acts in the "
                "opposite direction.",
                f"{_NOTES}, note 1",
            ),
        ],
    )


def _article(seed: int) -> Question:
    """Sinusoids in which no sine has a cosine of the same frequency."""
    intended, written = _variants("article")
    meant, encoding = (note_model("article", config, seed).trace.position_encoding for config in (intended, written))
    dots, meant_dots = encoding @ encoding.T, meant @ meant.T
    first, second, shift = 0, 2, 4
    here, there = float(dots[first, second]), float(dots[first + shift, second + shift])
    assert abs(there - here) > _SAME * np.abs(dots).max(), "the two dot products differ"
    numbers = [first + 1, second + 1, first + shift + 1, second + shift + 1]
    return Question(
        "in the tutorial's code, each dimension of the positions has a frequency of its own, so no sine has a cosine. "
        f"The positions {numbers[0]} and {numbers[1]} are as far apart as {numbers[2]} and {numbers[3]}. Are their dot "
        "products equal?",
        "no",
        f"They are {format_number(here, 4)} and {format_number(there, 4)}. As intended, both are "
        f"{format_number(float(meant_dots[first, second]), 4)}.",
        [
            WrongOption(
                "yes: only the distance counts",
                "sin a sin b + cos a cos b = cos(a − b) needs both functions at one frequency.",
                f"{_NOTES}, note 1",
            ),
            WrongOption(
                "yes: all rows have the same length",
                "They would have if each sine had its cosine, because sin² + cos² = 1. Here they do not.",
                f"{_NOTES}, note 1",
            ),
        ],
    )


_QUESTIONS: dict[str, Callable[[int], Question]] = {
    "nnx": _nnx,
    "haiku": _haiku,
    "nanolm": _nanolm,
    "annotated": _annotated,
    "article": _article,
}
