"""Claim 10: deeper stacks cost more: how parameters, operations and time grow with layers, width and length."""

from dataclasses import replace
from functools import partial

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig
from encoder_core.experiments.experiment import (
    PROCESSOR_TIME,
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    explain_ratio,
    time_calls,
    time_ratio,
    verdict_if,
)
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.parameters.cost import flops_by_part, parameters_by_part
from encoder_core.support.number_format import format_number

_BASE = EncoderConfig(vocab_size=100, max_len=512, d_model=64, num_heads=4, d_ff=256, num_layers=2)
_SEQ, _STEPS, _REPEATS = 32, 4, 9  # sizes are multiplied by 1, 2, 4 and 8
_HEIGHT = 300
_SIZES = ("layers", "width", "tokens")


def enlarged(size: str, factor: int) -> tuple[EncoderConfig, int]:
    """The config and the number of tokens with one size multiplied; the width includes d_ff."""
    if size == "layers":
        return replace(_BASE, num_layers=_BASE.num_layers * factor), _SEQ
    if size == "width":
        return replace(_BASE, d_model=_BASE.d_model * factor, d_ff=_BASE.d_ff * factor), _SEQ
    return _BASE, _SEQ * factor


def matrix_products(config: EncoderConfig, seq: int) -> None:
    """All matrix products of one forward pass in NumPy, on arrays of ones, at the exact sizes."""
    x, square = np.ones((seq, config.d_model), np.float32), np.ones((config.d_model, config.d_model), np.float32)
    up, down = (np.ones(shape, np.float32) for shape in ((config.d_model, config.d_ff), (config.d_ff, config.d_model)))
    heads = np.ones((config.num_heads, seq, config.d_head), np.float32)
    for _ in range(config.num_layers):
        for _ in range(4):  # Q, K, V and O
            x @ square
        heads @ heads.swapaxes(1, 2) @ heads
        x @ up @ down


def _measure(setup: Setup) -> Measurement:
    size = str(setup["size"])
    factors = [2**step for step in range(_STEPS)]
    encoders = [enlarged(size, factor) for factor in factors]
    flops = np.array([sum(flops_by_part(config, seq).values()) for config, seq in encoders], float)
    parameters = np.array(
        [sum(n for part, n in parameters_by_part(config).items() if part != "embedding") for config, _ in encoders],
        float,
    )
    scores = np.array([flops_by_part(config, seq)["scores"] for config, seq in encoders], float)
    times = time_calls([partial(matrix_products, config, seq) for config, seq in encoders], _REPEATS)
    growth = float(flops[1] / flops[0])

    def relative(values: Float[np.ndarray, "step"]) -> Float[np.ndarray, "step"]:
        return np.log2(values / values[0])

    def draw(theme: ThemeName) -> Line:
        series = {
            "parameters": relative(parameters),
            "operations": relative(flops),
            "of these, for the scores": relative(scores),
            "time": relative(times[:, 0]),
        }
        return [
            curves(series, [f"× {factor}" for factor in factors], title=f"growth with the {size}", x_axis=size,
                   y_axis="log₂ of the growth", style=PanelStyle(height=_HEIGHT, theme=theme)),
        ]  # fmt: skip

    ratio = time_ratio(times[-1], times[0])
    more_parameters, more_scores = (format_number(float(x[1] / x[0]), 3) for x in (parameters, scores))
    more = format_number(growth, 3)
    is_same = parameters[1] == parameters[0]
    grown_parameters = "the same number of parameters" if is_same else f"**{more_parameters} times** as many parameters"
    answer = 0 if growth < 2.01 else 2 if growth > 3.99 else 1
    return Measurement(
        answer,
        f"operations × {more} for twice the {size}; time × {ratio} for eight times the {size}",
        f"With {_SEQ} tokens and d_model {_BASE.d_model}, twice the {size} means **{more} times** as many "
        f"operations and {grown_parameters}, the embedding not counted. The operations for the scores alone become "
        f"**{more_scores} times** as many. {explain_ratio(_REPEATS)}",
        draw,
        verdict_if(answer == (0 if size == "layers" else 1) and ratio.fastest > 1),
    )


EXPERIMENT = Experiment(
    number=10,
    name="stack-cost",
    title="What a larger encoder costs",
    claim="Deeper stacks cost more. Operations grow in proportion to the layers, faster with the width, and with the "
    "square of the length in the scores.",
    hypothesis="Twice the layers means twice the operations. Twice the width or the length means more than twice, "
    "because some products have two factors that grow.",
    question="An encoder gets twice the {size}. How many times as many operations does a forward pass take?",
    options=(
        Option("2 times", "Each layer takes as many operations as the one before it; width and length are factors of "
               "some products twice."),
        Option(
            "More than 2, but less than 4 times",
            "Some products grow with the square, others in proportion: with the length, the scores grow with n² and "
            "the projections with n; with the width it is the other way round.",
        ),
        Option("4 times", "Only if every product had two factors that double."),
    ),
    controls=(Control("size", "Twice the", _SIZES, "tokens"),),
    measure=_measure,
    limits=f"Only matrix products are counted and timed. {PROCESSOR_TIME}. It depends on how well a processor is used: "
    "small matrices take longer than their operations suggest, and this server has other visitors, who use its caches.",
    code=(matrix_products, enlarged),
    stage="map",
    source="Vaswani et al. 2017, table 1",
)  # fmt: skip
