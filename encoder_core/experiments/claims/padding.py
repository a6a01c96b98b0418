"""Claim 6: masked padding changes no real token's output; unmasked padding does, unless a causal mask hides it."""

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
    seed_control,
    verdict_if,
)
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number

_REAL, _PADDED = 5, 8  # tokens of the sentence, and of the sentence with padding
_CONFIG = EncoderConfig(
    vocab_size=_PADDED, max_len=16, d_model=16, num_heads=2, d_ff=32, num_layers=2, positions="none"
)
_ROUNDING = 1e-4
_HEIGHT = 260


@lru_cache(maxsize=64)
def padded_outputs(
    pad_value: float, masked: bool, causal: bool, seed: int
) -> tuple[Float[np.ndarray, "token d_model"], Float[np.ndarray, "token d_model"]]:
    """The outputs of the real tokens: of the sentence alone, and of the sentence with rows of `pad_value` behind it.

    masked  no token attends to the pad rows
    causal  no token attends to a later one, in either sentence
    """
    encoder = Encoder.random(_CONFIG, seed)
    rows = np.full((1, _PADDED, _CONFIG.d_model), pad_value, np.float32)
    rows[:, :_REAL] = np.random.default_rng(seed).standard_normal((_REAL, _CONFIG.d_model))
    mask = np.ones((_PADDED, _PADDED), bool)
    if causal:
        mask = np.tril(mask)
    if masked:
        mask[:, _REAL:] = False
    alone = encoder.trace(rows[:, :_REAL], mask[:_REAL, :_REAL]).output[0]
    return alone, encoder.trace(rows, mask).output[0, :_REAL]


def _largest_change(pad_value: float, masked: bool, causal: bool, seed: int) -> float:
    alone, padded = padded_outputs(pad_value, masked, causal, seed)
    return float(np.abs(padded - alone).max())


def _measure(setup: Setup) -> Measurement:
    value, masked, causal = float(setup["pad_value"]), setup["padding"] == "masked", setup["attention"] == "causal"
    seed = int(setup["seed"])
    alone, padded = padded_outputs(value, masked, causal, seed)
    changes = [_largest_change(value, masked, causal, s) for s in range(10)]
    change, other_change = (_largest_change(value, masked, c, seed) for c in (causal, not causal))
    changed = change > _ROUNDING

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="output with padding", values=padded),
                "−",
                Matrix(title="output of the sentence alone", values=alone),
                "=",
                Matrix(title="difference", values=padded - alone),
            ],
            height=_HEIGHT,
            theme=theme,
        )

    number = format_number(value)
    if masked:
        reason = "no token attends to the pad rows"
    elif causal:
        reason = "the causal mask hides the pad rows, which are later, from them"
    else:
        reason = "every real token attends to the pad rows"
    return Measurement(
        int(changed),
        f"largest change of a real token: {format_number(change, 2)} ({format_number(min(changes), 2)} to "
        f"{format_number(max(changes), 2)} in ten encoders)",
        f"The {_PADDED - _REAL} pad rows, all {number}, are {'masked' if masked else 'not masked'}. The outputs of the "
        f"{_REAL} real tokens "
        + (f"change by up to **{format_number(change, 2)}**: {reason}."
           if changed else f"stay the same, because {reason}: the largest change is **{format_number(change, 1)}**"
           + (", which is rounding." if change else "."))
        + f" With {'bidirectional' if causal else 'causal'} attention and the same parameters, the largest change is "
        f"{format_number(other_change, 2 if other_change > _ROUNDING else 1)}.",
        draw,
        verdict_if(changed == (not masked and not causal)),
    )  # fmt: skip


EXPERIMENT = Experiment(
    number=6,
    name="padding",
    title="Padding must be masked",
    claim="Padding that is masked changes no real token's output. Padding that is not masked does, unless it follows "
    "the sentence and a causal mask hides it.",
    hypothesis="With the pad keys masked, the real tokens have the outputs that they have alone, whatever the pad rows "
    "contain. Without the mask, they have others in bidirectional attention, even if the pad rows are zero. In causal "
    "attention, with the same parameters, they keep theirs: the pad rows are later.",
    question="Pad rows with the value {pad_value} follow a sentence; they are {padding}. Attention is {attention}. Do "
    "the outputs of the real tokens change?",
    options=(
        Option(
            "No",
            "A key that the padding mask or the causal mask hides has the score −∞ and so the weight exp(−∞) = 0: its "
            "value is multiplied by 0.",
        ),
        Option(
            "Yes",
            "A key that no mask hides gets a weight, even if its row is zero: exp of its score is not 0, so the real "
            "keys get less.",
        ),
    ),
    controls=(
        Control("padding", "Padding", ("masked", "unmasked"), "unmasked"),
        Control(
            "attention",
            "Attention",
            ("bidirectional", "causal"),
            "bidirectional",
            "Causal: a token attends to itself and to earlier tokens only",
        ),
        Control("pad_value", "Value in the pad rows", (-10, -3, -1, 0, 1, 3, 10), 0),
        seed_control("Seed of the parameters and of the sentence"),
    ),
    measure=_measure,
    limits="Only the outputs of real tokens are compared. The pad tokens have outputs, too, which no one may use: a "
    "mean over the sentence has to leave them out.",
    code=(padded_outputs,),
    stage="scaled_scores",
    source="Vaswani et al. 2017, section 3.2.3 (masking by −∞)",
)  # fmt: skip
