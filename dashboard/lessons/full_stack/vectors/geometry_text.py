"""The view Geometry in words and numbers: captions, tables, formula and question."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import NumberTable
from dashboard.inspect.questions import Question, WrongOption, largest_value_question
from dashboard.markdown import escape_token
from encoder_core import EncoderConfig
from encoder_core.analysis import GroupCosines, PrincipalPlane, ResidualStage, StepPart
from encoder_core.explain.derivations.embedding import SCALE_SYMBOLS
from encoder_core.scenes.geometry import AXES, PlanePoints
from encoder_core.support.number_format import (
    fixed_difference,
    format_fixed,
    format_number,
    format_percent,
    latex_number,
    latex_with_shape,
)


class Picture(NamedTuple):
    """What the view shows.

    stage     index in `stages`
    step      the parts of the selected token's step to this stage; empty at the first one
    fitted    number of tokens that determine the plane
    word      the word whose occurrences determine it, the first of each sentence; None for all tokens
    cosines   of the word's occurrences within and between its meanings, by stage; None where they are not known
    has_more  whether a sentence has the word again
    """

    plane: PrincipalPlane
    points: PlanePoints
    stages: Sequence[ResidualStage]
    stage: int
    step: Sequence[StepPart]
    fitted: int
    word: str | None
    cosines: GroupCosines | None
    has_more: bool = False

    @property
    def names(self) -> list[str]:
        """The names of the stages."""
        return [stage.name for stage in self.stages]

    @property
    def movement(self) -> Float[np.ndarray, "d_model"]:
        """The step of the selected token to this stage, in float64."""
        stages = (self.stage - 1, self.stage)
        before, after = (self.points.vectors[index, self.points.selected].astype(float) for index in stages)
        return after - before


def describe_plane(picture: Picture, is_trained: bool) -> str:
    """Caption: how the plane was chosen, and the share of the variance that it shows."""
    what = f"{picture.fitted} tokens, without special ones,"
    if picture.word:
        what = f"{picture.fitted} occurrences of “{escape_token(picture.word)}”"
    if picture.has_more:
        what = f"first occurrences of “{escape_token(str(picture.word))}” in {picture.fitted} sentences"
    here, overall = picture.plane.shares[picture.stage], picture.plane.share
    shares = f"It shows {_percent(here)} of their variance at this stage and {_percent(overall)} over all stages"
    untrained = "" if is_trained else " This encoder is not trained: what separates its vectors is chance."
    return (
        f"The plane of a principal component analysis: no other plane shows more of the variance of the "
        f"{what} within the stages. It is the same at every stage, so a point moves only if its "
        f"vector does. {shares}.{untrained}"
    )


def describe_step(picture: Picture) -> str:
    """Caption: the arrows of the step and the check of their sum."""
    before, after = picture.names[picture.stage - 1], picture.names[picture.stage]
    movement = picture.movement
    difference = np.abs(sum(part.vector for part in picture.step) - movement).max() / (np.abs(movement).max() or 1.0)
    parts = f"its {len(picture.step)} parts add" if len(picture.step) > 1 else "its one part adds"
    return (
        f"Enlarged: the step from “{before}” to “{after}”, with an arrow for each part. In all {len(movement)} "
        f"dimensions, {parts} up to the step; the largest difference is {format_number(float(difference), 1)}, as a "
        f"fraction of the step's largest number.{_norm_note(picture.step)}"
    )


def _norm_note(step: Sequence[StepPart]) -> str:
    if len(step) < 2 or not step[-1].is_norm:
        return ""
    return " The norm is applied to the sum, so its arrow (grey) begins at the end of the sum."


def describe_separation(picture: Picture, cosines: GroupCosines) -> str:
    """Caption: the cosines within a meaning and between meanings, at this stage and at the input."""
    (within, between, gap), (first_within, first_between, first_gap) = (
        _cosines_in_words(cosines, stage) for stage in (picture.stage, 0)
    )
    return (
        f"Mean cosine in all dimensions of two “{escape_token(str(picture.word))}” with the same meaning: "
        f"**{within}**; with different meanings: **{between}** (a gap of {gap}). At the input they are "
        f"{first_within} and {first_between} (a gap of {first_gap})."
    )


def _cosines_in_words(cosines: GroupCosines, stage: int) -> tuple[str, str, str]:
    """The cosines within and between the meanings at a stage, and their difference."""
    within, between = float(cosines.within[stage]), float(cosines.between[stage])
    return format_fixed(within), format_fixed(between), format_fixed(fixed_difference(within, between, 3))


def tables(picture: Picture) -> dict[str, NumberTable]:
    """The parts of the step, the points, and the shares and cosines by stage."""
    plane, points, stage = picture.plane, picture.points, picture.stage
    by_stage, columns = [plane.shares], ["share of variance"]
    if picture.cosines:
        by_stage, columns = [*by_stage, *picture.cosines], [*columns, "cosine within", "cosine between"]
    result = {
        "points": NumberTable(plane.place(points.vectors[stage]), points.names, AXES),
        "stages": NumberTable(np.stack(by_stage, axis=1), picture.names, columns, first=None),
    }
    return {"step": _step_table(picture)} | result if picture.step else result


def _step_table(picture: Picture) -> NumberTable:
    """Each part of the step: in the plane, its length in all dimensions, and its share of the step."""
    vectors = np.stack([part.vector for part in picture.step])
    movement = picture.movement
    square = float(movement @ movement) or 1.0
    rows = [*vectors, movement]
    values = [[*picture.plane.direction(row), np.linalg.norm(row), row @ movement / square] for row in rows]
    names = [*(part.name for part in picture.step), "step"]
    return NumberTable(np.array(values), names, [*AXES, "length", "share of the step"], first=None)


def view_formula(config: EncoderConfig, stage: ResidualStage, residual_factor: float) -> str:
    """The projection, and the sum that leads to this stage.

    residual_factor  the factor on the residual of that sum, which edits can change
    """
    vector = latex_with_shape("x^{(s)}_t", (1, config.d_model))
    place, plane = latex_with_shape("p^{(s)}_t", (1, 2)), latex_with_shape("P", (config.d_model, 2))
    projection = rf"{place} &= \bigl({vector} - \bar{{x}}\bigr)\, {plane}"
    if stage.layer is None:
        step = _input_formula(config) if stage.tensor == "embedded" else r"x' &= \text{norm}(x)"
        return rf"\begin{{aligned}} {projection} \\ {step} \end{{aligned}}"
    bias = r" + b_O" if config.use_bias else ""
    is_post, is_attention = config.norm == "post", stage.tensor in ("mlp_in", "resid_mid")
    feed_forward = r"\text{FFN}(x)" if is_post else r"\text{FFN}(\text{norm}(x))"
    residual = "x" if residual_factor == 1 else rf"{latex_number(format_number(residual_factor, 6))} \, x"
    total = rf"{residual} + \sum_h z_h W_O^{{(h)}}{bias}" if is_attention else f"{residual} + {feed_forward}"
    step = rf"x' &= \text{{norm}}\Bigl({total}\Bigr)" if is_post else rf"x' &= {total}"
    return rf"\begin{{aligned}} {projection} \\ {step} \end{{aligned}}"


def _input_formula(config: EncoderConfig) -> str:
    """The input of the first layer: the scaled embedding, plus the position, through the norm if there is one."""
    scale = "" if config.embedding_scale == "none" else rf"{SCALE_SYMBOLS[config.embedding_scale]} \; "
    position = "" if config.positions == "none" else r" + \text{position}"
    total = rf"{scale}\text{{embedding}}{position}"
    return rf"x &= \text{{norm}}\bigl({total}\bigr)" if config.embedding_norm else f"x &= {total}"


def step_question(picture: Picture, d_model: int) -> Question:
    """Which part of the step is the longest in all dimensions? The plane can show a long arrow as a short one."""
    token = escape_token(picture.points.names[picture.points.selected])
    lengths = np.array([np.linalg.norm(part.vector) for part in picture.step])
    projected = [float(np.linalg.norm(picture.plane.direction(part.vector))) for part in picture.step]
    fallback = Question(
        "how many numbers of a vector decide where its point is in the plane?",
        f"all {d_model:,}",
        f"Each of the two coordinates is a sum over all {d_model:,} numbers of the vector.",
        [
            WrongOption("the first two", "The axes of the plane are directions in which the vectors differ most, not "
                        "two of their dimensions.", "the formula: P has a row for every dimension"),
            WrongOption("the two largest", "No number is picked: each is multiplied and added.",
                        "the formula: P has a row for every dimension"),
        ],
    )  # fmt: skip
    return largest_value_question(
        f"in all {d_model:,} dimensions, which of these parts of the last step of “{token}” is longest?",
        lengths,
        lambda best: (
            f"Its length is {format_number(lengths[best], 3)}. The plane shows {format_number(projected[best], 3)} of "
            "it."
        ),
        lambda index: WrongOption(
            picture.step[index].name,
            f"Its length is {format_number(lengths[index], 3)}, of which the plane shows "
            f"{format_number(projected[index], 3)}: an arrow can be short because it points out of the plane.",
            "the table “step”, which has the lengths in all dimensions",
        ),
        fallback,
    )


def _percent(share: float) -> str:
    return "no part" if np.isnan(share) else format_percent(share)
