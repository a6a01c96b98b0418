"""Claim 16: attention is not explanation, because other weights can give the same output."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.optimize import linprog

from encoder_core.config import EncoderConfig, Positions
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import (
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    quote_with_bold,
    seed_control,
    verdict_if,
)
from encoder_core.figures import HeatmapStyle, Line, ThemeName, heatmap
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.support.wording import format_count

SENTENCE = ["the", "black", "cat", "jumped", "on", "the", "sofa"]
_IDS = np.array([[0, 1, 2, 3, 4, 0, 5]], np.int32)
_QUERY, _FIRST, _SECOND = SENTENCE.index("cat"), 0, 5
_NUM_HEADS = 2
_POSITIONS: tuple[Positions, ...] = ("none", "sinusoidal")
_TOLERANCE = 1e-5  # of a singular value, relative to the largest: the values are float32 numbers
_HEIGHT = 200


class HeadOfSentence(NamedTuple):
    """What one query of a head reads.

    weights  (key,) of the query; they add up to 1
    values   (key, d_head)
    """

    weights: Float[np.ndarray, "key"]
    values: Float[np.ndarray, "key d_head"]


def free_directions(values: Float[np.ndarray, "key d_head"]) -> int:
    """In how many independent directions weights can change while their sum and weights @ values stay the same.

    It is the number of keys minus the rank of (values, 1) (Brunner et al. 2020, section 3).
    """
    constraints = np.column_stack([values, np.ones(len(values))]).astype(np.float64)
    singular = np.linalg.svd(constraints, compute_uv=False)
    return len(values) - int((singular > _TOLERANCE * singular[0]).sum())


def weights_with_same_output(head: HeadOfSentence, key: int, *, largest: bool) -> Float[np.ndarray, "key"]:
    """The weights with the same output that give this key the largest, or the smallest, possible weight.

    They are not negative and add up to 1. If the output fixes the weights, they are those of the head.
    """
    if free_directions(head.values) == 0:
        return head.weights
    weights, values = head.weights.astype(np.float64), head.values.astype(np.float64)
    objective = np.zeros(len(weights))
    objective[key] = -1 if largest else 1
    equations = np.vstack([values.T, np.ones(len(weights))])
    solution = linprog(objective, A_eq=equations, b_eq=equations @ weights, bounds=(0, 1), method="highs")
    return solution.x if solution.success else head.weights


def head_of_random_encoder(positions: Positions, d_head: int, seed: int) -> HeadOfSentence:
    """Head 1 of layer 1 of a random encoder, for the query “cat”."""
    d_model = _NUM_HEADS * d_head
    config = EncoderConfig(vocab_size=6, max_len=16, d_model=d_model, num_heads=_NUM_HEADS, d_ff=4 * d_model,
                           num_layers=1, positions=positions)  # fmt: skip
    layer = Encoder.random(config, seed).trace(_IDS).layers[0]
    return HeadOfSentence(layer.pattern[0, 0, _QUERY], layer.v[0, 0])


def freest_key(head: HeadOfSentence) -> int:
    """The key whose weight has the largest range among the weights with the same output; else the one with the most."""
    keys = range(len(head.weights))
    ranges = [np.ptp([weights_with_same_output(head, key, largest=end)[key] for end in (False, True)]) for key in keys]
    return int(np.argmax(ranges if max(ranges) > 0 else head.weights))


def _measure(setup: Setup) -> Measurement:
    positions = _POSITIONS[setup["positions"] != "none"]
    d_head, seed = int(setup["d_head"]), int(setup["seed"])
    head = head_of_random_encoder(positions, d_head, seed)
    directions, key = free_directions(head.values), freest_key(head)
    least, most = (weights_with_same_output(head, key, largest=largest) for largest in (False, True))
    patterns = np.stack([head.weights, least, most] if directions else [head.weights])
    outputs = patterns @ head.values
    difference = float(np.abs(outputs - outputs[0]).max() / np.abs(outputs[0]).max())
    key_names = [f"{word} {number}" for number, word in enumerate(SENTENCE, 1)]
    name, decimals = key_names[key], 2 if most[key] >= 0.01 else 4
    now, low, high = (format_fixed(weights[key], decimals) for weights in (head.weights, least, most))

    def draw(theme: ThemeName) -> Line:
        rows = ["of the head", "least", "most"][: len(patterns)]
        weights = HeatmapStyle(kind="weights", row_axis="row", column_axis="key", show_values=True,
                               title_colour="attention", height=_HEIGHT, theme=theme)  # fmt: skip
        values = HeatmapStyle(row_axis="row", column_axis="dimension", height=_HEIGHT, theme=theme)
        return [
            heatmap(patterns, rows, key_names, title="weights of “cat”", marks=[(row, key) for row in range(len(rows))],
                    style=weights),
            "|",
            heatmap(outputs, rows, [str(dimension) for dimension in range(d_head)], title="output: weights · V",
                    style=values),
        ]  # fmt: skip

    ways = format_count(directions, "independent direction")
    if directions:
        reason = (
            "both “the” have the same value, as this encoder has no positions: the output contains only the sum of "
            "their weights."
            if directions == 1
            else f"an output of {d_head} numbers and the sum of 1 are {d_head + 1} conditions for {len(SENTENCE)} "
            "weights."
        )
        measured = f"{ways}; weight of “{name}” with the same output: {low} to {high}"
        meaning = (
            f"“cat” gives “{name}” a weight of **{now}**. With the same output it could be anything from "
            f"**{low}** to **{high}**: the outputs of the three patterns differ by "
            f"{format_number(difference, 1)} of the largest number, which is rounding. The weights can change in "
            f"{ways}: {reason}"
        )
    else:
        measured = f"{ways}: the weight of “{name}” can only be {now}"
        meaning = (
            f"“cat” gives “{name}” a weight of **{now}**. No other weights give this output: the values of the "
            f"{len(SENTENCE)} keys are independent, so the output fixes how much of each it contains. With fewer "
            f"than {len(SENTENCE) - 1} dimensions, or without positions, it does not."
        )
    return Measurement(min(directions, 2), measured, meaning, draw, verdict_if(directions == 0))


def _given(setup: Setup) -> str:
    return f"{quote_with_bold(SENTENCE, _QUERY)}: the word in bold is the query, and all seven words are its keys."


EXPERIMENT = Experiment(
    number=16,
    name="same-output",
    title="Attention is not explanation",
    claim="The attention weights of a token explain its output: the more weight a key has, the more the output depends "
    "on it.",
    hypothesis="Only one pattern of weights gives the output of a head; any other would give another output.",
    question="“cat” reads seven keys in a head with {d_head} dimensions (positions: {positions}; “the” occurs twice). "
    "In how many independent directions could its weights change without changing the output of the head?",
    options=(
        Option("In none: the output fixes the weights", "This needs seven values that are independent of each other: "
               "all different, and with enough dimensions."),
        Option("In one", "It moves weight between two keys with equal values: without positions both “the” have the "
               "same value, and the output contains only the sum of their weights."),
        Option("In more than one", "The output has one number for each dimension, and the weights add up to 1. Fewer "
               "conditions than keys leave the weights free to change."),
    ),
    controls=(
        Control("positions", "Positions", _POSITIONS, "none", "With positions, both “the” have other values"),
        Control("d_head", "d_head", (2, 4, 8, 16), 8, "Dimensions of a value"),
        seed_control("Another seed draws other parameters", 20),
    ),
    measure=_measure,
    given=_given,
    limits="The other patterns need not be weights that the head can produce from its queries and keys. That one query "
    "could have other weights does not show that its weights are meaningless: they are what the head computed.",
    code=(free_directions, weights_with_same_output),
    stage="weighted_values",
    source="Jain and Wallace 2019, “Attention is not Explanation”; Brunner et al. 2020, “On Identifiability in "
    "Transformers”",
)  # fmt: skip
