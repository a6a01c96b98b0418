"""Claim 4: an encoder is permutation-equivariant without positions and without a mask that depends on the order."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import (
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    describe_spread,
    seed_control,
    verdict_if,
)
from encoder_core.experiments.shuffle import shuffle_effect, without_positions
from encoder_core.figures import Line, RowBarsStyle, ThemeName, row_bars
from encoder_core.inputs.masks import MaskSpec
from encoder_core.support.number_format import format_number

SENTENCE = ["the", "black", "cat", "jumped", "on", "the", "sofa", "and", "fell", "asleep"]
_CONFIG = EncoderConfig(vocab_size=len(SENTENCE), max_len=16, d_model=32, num_heads=4, d_ff=64, num_layers=2)
_SHUFFLES = 4
_ROUNDING = 1e-4  # largest change of an output by rounding, as a length; an output has the length √32 = 5.7
_HEIGHT = 300


@lru_cache(maxsize=16)
def output_changes(positions: bool, causal: bool, seed: int) -> Float[np.ndarray, "shuffle token"]:
    """The change of each token's output in some shuffles of the sentence (see `shuffle_effect`)."""
    encoder = Encoder.random(_CONFIG, seed)
    encoder = encoder if positions else without_positions(encoder)
    rng = np.random.default_rng(seed)
    mask: MaskSpec = "causal" if causal else None
    orders = [np.roll(rng.permutation(len(SENTENCE)), 1) for _ in range(_SHUFFLES)]
    ids = np.arange(len(SENTENCE), dtype=np.int32)
    return np.stack([shuffle_effect(encoder, ids, order, mask) for order in orders])


def _measure(setup: Setup) -> Measurement:
    positions, causal, seed = setup["positions"] == "sinusoidal", setup["mask"] == "causal", int(setup["seed"])
    changes = output_changes(positions, causal, seed)
    setups = {
        "no positions, no mask": output_changes(False, False, seed),
        "positions": output_changes(True, False, seed),
        "causal mask": output_changes(False, True, seed),
        "positions, causal mask": output_changes(True, True, seed),
    }
    changed = bool(changes.max() > _ROUNDING)
    largest = max(float(x.max()) for x in setups.values())

    def draw(theme: ThemeName) -> Line:
        style = RowBarsStyle(row_axis="token", span=(0.0, largest), decimals=3, height=_HEIGHT, theme=theme)
        line: Line = []
        for title, values in setups.items():
            line += [*(["|"] if line else []), row_bars(values[0], SENTENCE, title=title, style=style)]
        return line

    reasons = [name for name, holds in (("the positions", positions), ("the causal mask", causal)) if holds]
    meaning = (
        f"The outputs are **not** the same vectors in another order, because of {' and '.join(reasons)}."
        if changed
        else "The outputs are the **same vectors in the new order**, up to rounding: nothing tells the encoder where a "
        "token stands."
    )
    return Measurement(
        int(changed),
        f"change of an output in {_SHUFFLES} shuffles: {describe_spread(changes.max(-1))}, where an output has the "
        f"length {format_number(_CONFIG.d_model**0.5, 2)}",
        f"{meaning} The figure compares four encoders with the same parameters; each bar is the distance between a "
        "token's outputs before and after the first shuffle.",
        draw,
        verdict_if(changed == (positions or causal)),
    )


EXPERIMENT = Experiment(
    number=4,
    name="word-order",
    title="Without positions, word order does not matter",
    claim="Without positions, and without a mask that depends on the order, an encoder is permutation-equivariant: "
    "shuffle the input, and the output is shuffled in the same way. With positions it is not.",
    hypothesis="Without positions and without a causal mask, each token has the same output in every order of the "
    "words. Positions break this, and a causal mask alone breaks it, too.",
    question="The words of a sentence are shuffled. Positions: {positions}; mask: {mask}. What are the outputs then?",
    options=(
        Option(
            "The same vectors, in the new order",
            "Every step treats all tokens alike: attention sums over a set of keys, and the feed-forward network sees "
            "one token at a time.",
        ),
        Option(
            "Other vectors",
            "Positions are added to the tokens, and a causal mask lets each token see only itself and those before "
            "it. Either makes the place of a token matter.",
        ),
    ),
    controls=(
        Control("positions", "Positions", ("none", "sinusoidal"), "none"),
        Control("mask", "Mask", ("none", "causal"), "none"),
        seed_control("Seed of the parameters and of the shuffles"),
    ),
    measure=_measure,
    limits="The encoder is random and has two layers; the property holds for every encoder without positions and "
    "without a mask that depends on the order, such as the causal mask. Rounding differs between the orders, so the "
    "change is not exactly 0.",
    code=(shuffle_effect,),
    stage="positions",
    source="Lee et al. 2019, “Set Transformer”, property 1",
)  # fmt: skip
