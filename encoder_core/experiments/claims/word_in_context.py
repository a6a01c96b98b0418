"""Claim 13: the same word in two sentences gets two vectors, and they are closer where the meaning is the same."""

from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import cosines
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, verdict_if
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.support.number_format import fixed_difference, format_number

# Word -> three sentences with one meaning, and three with another.
SENTENCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "bank": (
        ("She took the money to the bank.", "The bank gave him a loan.", "He opened an account at the bank."),
        ("He sat on the bank of the river.", "The boat reached the bank.", "Trees grow on the bank of the lake."),
    ),
    "bat": (
        ("The bat flew out of the cave.", "A bat hangs upside down and sleeps.", "The bat eats insects at night."),
        ("He hit the ball with the bat.", "She swung the bat and ran.", "The player broke his bat in the game."),
    ),
    "spring": (
        ("Flowers bloom in spring.", "In spring the days become longer.", "The birds return every spring."),
        ("The metal spring was stretched.", "He replaced the spring in the clock.", "The spring of the bed is broken."),
    ),
}
_SAME = 0.02  # cosines that differ by less count as equal
_HEIGHT = 320


class Similarities(NamedTuple):
    """Cosines of a word's vectors in two sentences, for each pair of sentences, before the first layer and after each.

    same   (pair, layer + 1) of sentences with the same meaning
    other  (pair, layer + 1) of sentences with different meanings
    """

    same: Float[np.ndarray, "pair stage"]
    other: Float[np.ndarray, "pair stage"]


def word_similarities(word: str, encoder: Encoder) -> Similarities:
    """The cosines of all pairs of the word's sentences. The word must be one token of the encoder."""
    first, second = SENTENCES[word]
    trace = encoder.trace([*first, *second], "padding")
    places = [tokens.index(word) for tokens in trace.tokens]
    stream = np.stack([trace.embedded, *(layer.resid_post for layer in trace.layers)])
    vectors = np.stack([stream[:, sentence, place] for sentence, place in enumerate(places)], axis=1)
    similarity = cosines(vectors, vectors)  # (layer + 1, sentence, sentence)
    meanings = [0] * len(first) + [1] * len(second)
    pairs = [(a, b) for a, b in product(range(len(meanings)), repeat=2) if a < b]
    same = [similarity[:, a, b] for a, b in pairs if meanings[a] == meanings[b]]
    other = [similarity[:, a, b] for a, b in pairs if meanings[a] != meanings[b]]
    return Similarities(np.stack(same), np.stack(other))


def _measure(setup: Setup, encoder: Encoder) -> Measurement:
    word = str(setup["word"])
    same, other = word_similarities(word, encoder)
    last_same, last_other = same[:, -1], other[:, -1]
    normalised = ", normalised" if encoder.config.embedding_norm else ""
    gap = float(last_same.mean() - last_other.mean())
    shown_gap = fixed_difference(float(last_same.mean()), float(last_other.mean()), 2)

    def draw(theme: ThemeName) -> Line:
        series = {"same meaning": same.mean(0), "different meanings": other.mean(0)}
        stages = ["input", *(str(layer) for layer in range(1, same.shape[1]))]
        return [
            curves(series, stages, title=f"cosine of “{word}” in two sentences", x_axis="after layer", y_axis="cosine",
                   style=PanelStyle(height=_HEIGHT, theme=theme)),
        ]  # fmt: skip

    def describe(values: Float[np.ndarray, "pair"]) -> str:
        return f"{values.mean():.2f} ({values.min():.2f} to {values.max():.2f})"

    return Measurement(
        0 if gap > _SAME else 1 if gap < -_SAME else 2,
        f"cosine after the last layer: {describe(last_same)} with the same meaning, {describe(last_other)} with others",
        f"At the input, “{word}” is one row of the embedding table plus a position{normalised}: the cosines are "
        f"{same[:, 0].mean():.2f} and {other[:, 0].mean():.2f}. After the last layer they differ by "
        f"**{format_number(shown_gap, 2)}**. The encoder has moved each vector by what stands around it.",
        draw,
        verdict_if(gap > _SAME),
    )


def _given(setup: Setup) -> str:
    one, other = (", ".join(f"“{sentence}”" for sentence in meaning) for meaning in SENTENCES[str(setup["word"])])
    return f"One meaning: {one}  \nAnother meaning: {other}"


EXPERIMENT = Experiment(
    number=13,
    name="word-in-context",
    title="One word, two vectors",
    claim="The same word gets another vector in each sentence: “bank” with money is not “bank” at a river.",
    hypothesis="After the last layer, the vectors of a word are closer for two sentences in which it means the same "
    "than for two in which it does not.",
    question="“{word}” stands in sentences with two meanings. After the last layer, which of its vectors are closer?",
    options=(
        Option("Those with the same meaning", "Attention adds information from the words around it, and these differ."),
        Option("Those with different meanings", "Words around it that differ make its vectors differ, not agree."),
        Option("All are equally close", "That holds for the embedding table, which has one row for each word."),
    ),
    controls=(Control("word", "Word", tuple(SENTENCES), "bank"),),
    measure_trained=_measure,
    given=_given,
    limits="Three sentences for each meaning, written for this page: too few for a general statement. Sentences with "
    "the same meaning also share other words.",
    code=(word_similarities,),
    stage="full_stack",
    source="Ethayarajh 2019, “How Contextual are Contextualized Word Representations?”",
)  # fmt: skip
