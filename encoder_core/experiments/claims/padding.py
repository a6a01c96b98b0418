"""Claim 6: rightly masked padding changes no real token's output; unmasked padding does."""

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
    pad_value: float, masked: bool, seed: int
) -> tuple[Float[np.ndarray, "token d_model"], Float[np.ndarray, "token d_model"]]:
    """The outputs of the real tokens: of the sentence alone, and of the sentence with rows of `pad_value` behind it."""
    encoder = Encoder.random(_CONFIG, seed)
    rows = np.full((1, _PADDED, _CONFIG.d_model), pad_value, np.float32)
    rows[:, :_REAL] = np.random.default_rng(seed).standard_normal((_REAL, _CONFIG.d_model))
    mask = np.ones((1, 1, _PADDED), bool)
    mask[..., _REAL:] = not masked
    alone = encoder.trace(rows[:, :_REAL]).output[0]
    return alone, encoder.trace(rows, mask).output[0, :_REAL]


def _measure(setup: Setup) -> Measurement:
    value, masked, seed = float(setup["pad_value"]), setup["padding"] == "masked", int(setup["seed"])
    alone, padded = padded_outputs(value, masked, seed)
    changes = np.array([np.abs(padded_outputs(value, masked, s)[1] - padded_outputs(value, masked, s)[0]).max()
                        for s in range(10)])  # fmt: skip
    change = float(np.abs(padded - alone).max())
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

    low, high = (format_number(float(x), 2) for x in (changes.min(), changes.max()))
    number = format_number(value)
    how = "masked" if masked else "not masked"
    return Measurement(
        int(changed),
        f"largest change of a real token: {format_number(change, 2)} ({low} to {high} in ten encoders)",
        f"The {_PADDED - _REAL} pad rows, all {number}, are {how}. The outputs of the {_REAL} real tokens "
        + (f"change by up to **{format_number(change, 2)}**: every real token attends to the pad rows."
           if changed else f"stay the same: the largest change is **{format_number(change, 1)}**"
           + (", which is rounding." if change else ".")),
        draw,
        verdict_if(changed != masked),
    )  # fmt: skip


EXPERIMENT = Experiment(
    number=6,
    name="padding",
    title="Padding must be masked",
    claim="Padding that is masked changes no real token's output; padding that is not masked does.",
    hypothesis="With the pad keys masked, the real tokens have the outputs that they have alone, whatever the pad rows "
    "contain. Without the mask they have others, even if the pad rows are zero.",
    question="Pad rows with the value {pad_value} follow a sentence; they are {padding}. Do the outputs of its "
    "real tokens change?",
    options=(
        Option(
            "No",
            "A masked key has the score −∞ and so the weight exp(−∞) = 0: its value is multiplied by 0.",
        ),
        Option(
            "Yes",
            "A key that is not masked gets a weight, even if its row is zero: exp of its score is not 0, so the real "
            "keys get less.",
        ),
    ),
    controls=(
        Control("padding", "Padding", ("masked", "unmasked"), "unmasked"),
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
