"""Claim 14: a pronoun finds its noun in some heads of a trained encoder."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, Verdict
from encoder_core.figures import HeatmapStyle, Line, ThemeName, heatmap
from encoder_core.recipes.article import SENTENCE

# Name -> the sentence, the noun that "it" stands for, and another noun.
SENTENCES = {
    "cat": (SENTENCE, "cat", "sofa"),
    "tired": ("The animal did not cross the street because it was too tired", "animal", "street"),
    "wide": ("The animal did not cross the street because it was too wide", "street", "animal"),
}
_HEIGHT = 300
_LARGE = 0.3  # a weight that is more than chance among some 20 keys


class PronounWeights(NamedTuple):
    """The attention of "it" to two nouns, in each head.

    noun   (layer, head) to the noun that it stands for
    other  (layer, head) to the other noun
    """

    noun: Float[np.ndarray, "layer head"]
    other: Float[np.ndarray, "layer head"]


def pronoun_weights(name: str, encoder: Encoder) -> PronounWeights:
    """The weights of "it" in one of the sentences."""
    sentence, noun, other = SENTENCES[name]
    trace = encoder.trace(sentence)
    query, *keys = (trace.tokens[0].index(word) for word in ("it", noun, other))
    patterns = np.stack([layer.pattern[0, :, query] for layer in trace.layers])  # (layer, head, key)
    return PronounWeights(*(patterns[..., key] for key in keys))


def _measure(setup: Setup, encoder: Encoder) -> Measurement:
    name = str(setup["sentence"])
    sentence, noun, other = SENTENCES[name]
    weights = pronoun_weights(name, encoder)
    layers, heads = weights.noun.shape
    wins = int((weights.noun > weights.other).sum())
    layer, head = np.unravel_index(weights.noun.argmax(), weights.noun.shape)
    share = wins / weights.noun.size
    surprise = (
        f" So “{other}” gets more on average, although “it” stands for “{noun}”."
        if weights.noun.mean() < weights.other.mean()
        else ""
    )

    is_large = weights.noun.max() >= _LARGE and weights.noun.max() > weights.other[layer, head]
    verdict: Verdict = "does not hold" if not is_large else "holds" if share > 2 / 3 else "holds in part"

    def draw(theme: ThemeName) -> Line:
        rows, columns = ([str(i + 1) for i in range(count)] for count in (layers, heads))
        limit = float(max(weights.noun.max(), weights.other.max()))
        style = HeatmapStyle(kind="weights", limit=limit, row_axis="layer", column_axis="head", show_values=True,
                             title_colour="attention", height=_HEIGHT, theme=theme)  # fmt: skip
        return [
            heatmap(weights.noun, rows, columns, title=f"it → {noun}", marks=[(int(layer), int(head))], style=style),
            "|",
            heatmap(weights.other, rows, columns, title=f"it → {other}", style=style),
        ]

    return Measurement(
        int(np.digitize(share, (1 / 3, 2 / 3))),
        f"“it” prefers “{noun}” in {wins} of {weights.noun.size} heads; weights from {weights.noun.min():.2f} to "
        f"{weights.noun.max():.2f}, mean {weights.noun.mean():.2f}",
        f"“{sentence}”. The largest weight from “it” to “{noun}” is **{weights.noun.max():.2f}**, in layer "
        f"{layer + 1}, head {head + 1}. The mean over all heads is **{weights.noun.mean():.2f}** for “{noun}” and "
        f"**{weights.other.mean():.2f}** for “{other}”.{surprise}",
        draw,
        verdict,
    )


def _given(setup: Setup) -> str:
    sentence, noun, other = SENTENCES[str(setup["sentence"])]
    marked = sentence.replace(" it ", " **it** ", 1)
    return f"“{marked}”. The two nouns are “{noun}”, for which “it” stands, and “{other}”."


EXPERIMENT = Experiment(
    number=14,
    name="pronoun",
    title="A pronoun finds its noun",
    claim="In a trained encoder, “it” attends to the noun that it stands for.",
    hypothesis="In some heads, the weight from “it” to its noun is large, and larger than that to another noun.",
    question="“it” stands for one of two nouns. In how many heads of the trained encoder does "
    "it attend more to the right one?",
    options=(
        Option("Fewer than a third", "Most heads then attend more to the other noun: what a head looks at need not be "
               "what a reader would look at."),
        Option("One to two thirds", "If heads preferred either noun by chance, it would be about half of them. Few of "
               "them give the noun much weight."),
        Option("More than two thirds", "Then most heads agree, and still few of them give the noun much weight."),
    ),
    controls=(Control("sentence", "Sentence", tuple(SENTENCES), "cat"),),
    measure_trained=_measure,
    given=_given,
    limits="That a head attends from a pronoun to a noun is our reading of one pattern; it does not show that the "
    "encoder resolves pronouns. The last two sentences differ in one word only. Most heads change little between them; "
    "in layer 4, head 2, “it” gives “animal” less weight where the street is “wide”, and still more than “street”.",
    code=(pronoun_weights,),
    stage="full_stack",
    source="Vaswani et al. 2017, appendix; Clark et al. 2019, “What Does BERT Look At?”",
)  # fmt: skip
