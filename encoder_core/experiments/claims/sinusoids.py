"""Claim 7: nearby positions have similar sinusoids, and their dot product depends on the distance only."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import cosines, similarity_by_distance
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, Verdict, seed_control
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.inputs.positions import sinusoids
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number, format_percent

_POSITIONS = 64
_FIRST, _SHIFTED = (3, 8), (40, 45)  # two pairs of positions at the same distance, counted from 1
_TIE = 1e-4  # of d_model / 2, the dot product of a row with itself
_HEIGHT = 330


def encodings(kind: str, d_model: int, seed: int = 0) -> Float[np.ndarray, "position d_model"]:
    """Sinusoids, or random rows with the same root mean square, as a new learned table has them."""
    if kind == "sinusoidal":
        return sinusoids(_POSITIONS, d_model)
    random_rows = np.random.default_rng(seed).standard_normal((_POSITIONS, d_model)) / np.sqrt(2)
    return random_rows.astype(np.float32)


def pair_products(rows: Float[np.ndarray, "position d_model"]) -> tuple[float, float]:
    """The dot products of the positions 3 and 8, and of the positions 40 and 45, counted from 1."""
    (a, b), (c, d) = _FIRST, _SHIFTED
    wide = rows.astype(float)
    return float(wide[a - 1] @ wide[b - 1]), float(wide[c - 1] @ wide[d - 1])


def rising_share(at_distance: Float[np.ndarray, "distance"]) -> float:
    """The share of all pairs of distances of which the larger one has the larger similarity."""
    nearer, farther = np.triu_indices(len(at_distance), 1)
    return float((at_distance[farther] > at_distance[nearer]).mean())


def _describe_fall(at_distance: Float[np.ndarray, "distance"]) -> str:
    """How the mean cosine changes with the distance, which begins with 1."""
    near, far, farther = at_distance[0], at_distance[31], 1 + int(at_distance[1:].argmax())
    text = (
        f"Neighbours have a mean cosine of **{format_number(near, 2)}**, positions at a distance of 32 one of "
        f"**{format_number(far, 2)}**. Of two distances, the larger one has the larger cosine in "
        f"**{format_percent(rising_share(at_distance))}** of all pairs (half of them, if the distance did not matter)."
    )
    if at_distance[farther] > near:
        text += (
            f" Even the cosine of neighbours is not the largest: at a distance of {farther + 1} it is "
            f"**{format_number(at_distance[farther], 2)}**."
        )
    return text


def _measure(setup: Setup) -> Measurement:
    d_model, kind, seed = int(setup["d_model"]), str(setup["positions"]), int(setup["seed"])
    rows = encodings(kind, d_model, seed)
    dots = rows.astype(float) @ rows.T.astype(float)
    first, shifted = pair_products(rows)
    difference = shifted - first
    is_same = abs(difference) <= _TIE * d_model / 2
    by_distance = similarity_by_distance(dots.astype(np.float32))
    spread = float((by_distance.high - by_distance.low).max())
    similarity = cosines(rows, rows)
    at_distance = np.array([np.diagonal(similarity, distance).mean() for distance in range(1, _POSITIONS)])

    verdict: Verdict | None = None
    if kind == "sinusoidal":
        verdict = "does not hold" if not is_same else "holds" if at_distance.argmax() == 0 else "holds in part"

    def draw(theme: ThemeName) -> Line:
        distances = list(range(len(by_distance.mean)))
        series = {"lowest": by_distance.low, "mean": by_distance.mean, "highest": by_distance.high}
        return [
            *line_of(
                [
                    Matrix(title=f"{kind} positions", values=rows, row_axis="position"),
                    "→",
                    Matrix(title="dot products", values=dots.astype(np.float32), row_axis="position",
                           column_axis="other position", own_scale=True),
                ],
                height=_HEIGHT,
                theme=theme,
            ),
            "|",
            curves(series, distances, title="dot product by distance", x_axis="distance of the positions",
                   y_axis="dot product", style=PanelStyle(height=_HEIGHT, theme=theme)),
        ]  # fmt: skip

    return Measurement(
        1 if is_same else 0 if difference < 0 else 2,
        f"{format_number(first, 3)} and {format_number(shifted, 3)}; over all pairs with the same distance, dot "
        f"products differ by up to {format_number(spread, 2)}",
        f"The positions {_FIRST[0]} and {_FIRST[1]} have the dot product **{format_number(first, 3)}**, the positions "
        f"{_SHIFTED[0]} and {_SHIFTED[1]} **{format_number(shifted, 3)}**. {_describe_fall(at_distance)}",
        draw,
        verdict,
    )


EXPERIMENT = Experiment(
    number=7,
    name="sinusoids",
    title="Sinusoids measure distance",
    claim="With sinusoids, nearby positions are more similar than distant ones, and the dot product of two positions "
    "depends on their distance only.",
    hypothesis="All pairs of positions at the same distance have the same dot product. Neighbours are more similar "
    "than positions far apart.",
    question="The positions 3 and 8 have a certain dot product ({positions} positions). What is that of 40 and 45?",
    options=(
        Option("Smaller", "Sinusoids do not fade with the position; random rows can have any dot product."),
        Option(
            "The same",
            "With sinusoids, sin a sin b + cos a cos b = cos(a − b): only the difference of the "
            "positions is left. Random rows have no such identity.",
        ),
        Option("Larger", "Sinusoids do not grow with the position; random rows can have any dot product."),
    ),
    controls=(
        Control("positions", "Positions", ("sinusoidal", "random"), "sinusoidal", "random: as in a new learned table"),
        Control("d_model", "d_model", (8, 16, 32, 64, 128), 64),
        replace(seed_control("Seed of the random rows"), needs=("positions", "random")),
    ),
    measure=_measure,
    limits="The similarity does not fall evenly with the distance: it is a sum of cosines and rises again in places, "
    "the more, the fewer dimensions there are. In an encoder, the projections of queries and keys come between the "
    "positions and the scores.",
    code=(encodings, pair_products),
    stage="positions",
    source="Vaswani et al. 2017, section 3.5",
)
