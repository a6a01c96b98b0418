"""Claim 12: layer norm normalises each token over its features, not over the batch."""

import numpy as np
from jaxtyping import Float

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

_TOKENS, _FEATURES = 4, 6
_EPS = 1e-6
_ROUNDING = 1e-5
_HEIGHT = 250
Batch = Float[np.ndarray, "sentence token feature"]


def layer_norm(x: Batch) -> Batch:
    """(x - mean) / sqrt(variance + eps) of each token, over its features (Ba, Kiros & Hinton 2016)."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + _EPS)


def batch_norm(x: Batch) -> Batch:
    """(x - mean) / sqrt(variance + eps) of each feature, over all tokens of the batch (Ioffe & Szegedy 2015)."""
    return (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + _EPS)


def _measure(setup: Setup) -> Measurement:
    factor, sentences, seed = float(setup["factor"]), int(setup["sentences"]), int(setup["seed"])
    x = np.random.default_rng(seed).standard_normal((sentences, _TOKENS, _FEATURES))
    other = x.copy()
    other[1:] *= factor
    normalised = {"layer norm": (layer_norm(x), layer_norm(other)), "batch norm": (batch_norm(x), batch_norm(other))}
    changes = {name: float(np.abs(after[0] - before[0]).max()) for name, (before, after) in normalised.items()}
    by_layer, by_batch = (change > _ROUNDING for change in changes.values())
    after = {name: pair[1][0] for name, pair in normalised.items()}

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="sentence 1", values=other[0].astype(np.float32), own_scale=True),
                "→",
                *[
                    Matrix(title=f"after {name}", values=rows.astype(np.float32), show_values=True)
                    for name, rows in after.items()
                ],
            ],
            height=_HEIGHT,
            theme=theme,
        )

    rows = after["layer norm"]
    return Measurement(
        2 * by_batch + by_layer,
        f"change of sentence 1: {format_number(changes['layer norm'], 2)} with layer norm, "
        f"{format_number(changes['batch norm'], 2)} with batch norm",
        f"All sentences but the first are multiplied by {factor:g}. After layer norm every row of sentence 1 has a "
        f"mean of **{format_number(float(np.abs(rows.mean(-1)).max()), 1)}** and a variance of "
        f"**{format_number(float(rows.var(-1).mean()), 3)}**, and it does not change. After batch norm its mean square "
        f"is {format_number(float((after['batch norm'] ** 2).mean()), 2)}: it depends on the sentences that are in the "
        "same batch by chance.",
        draw,
        verdict_if(by_batch and not by_layer),
    )


EXPERIMENT = Experiment(
    number=12,
    name="layer-norm",
    title="Layer norm looks at one token at a time",
    claim="Layer norm normalises each token over its features, not over the batch.",
    hypothesis="When the other sentences of a batch change, the normalised rows of a sentence stay the same with layer "
    "norm. With batch norm they change.",
    question="All sentences of a batch but sentence 1 are multiplied by {factor}. Which norm gives sentence 1 other "
    "numbers?",
    options=(
        Option("Neither", "A norm over the batch uses the means and variances of all its sentences."),
        Option("Layer norm only", "Layer norm uses the numbers of one token, and no other."),
        Option("Batch norm only", "Its mean and variance of a feature are taken over all tokens of the batch."),
        Option("Both", "Layer norm uses the numbers of one token, and no other."),
    ),
    controls=(
        Control("factor", "Factor", (2, 5, 10, 100), 10),
        Control("sentences", "Sentences", (2, 4, 16), 2, "Sentences in the batch"),
        seed_control(""),
    ),
    measure=_measure,
    limits="Both norms are shown as in training and without a learned scale and shift. In evaluation, batch norm uses "
    "running averages instead, which again come from other sentences.",
    code=(layer_norm, batch_norm),
    stage="add_and_norm",
    source="Ba, Kiros & Hinton 2016, section 3",
)
