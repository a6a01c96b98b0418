"""The scene of vectors in a plane: the tokens at one stage of the residual stream, and one token's step to it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import PrincipalPlane, StepPart
from encoder_core.figures import Arrow, AxisMeaning, Line, PanelStyle, Selection, ThemeName, arrows, extent_of, points
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.wording import shorten

HEIGHT = 360
AXES = ("component 1", "component 2")


@compared_by_identity
class PlanePoints(NamedTuple):
    """The tokens that are drawn.

    vectors  at each stage
    names    their labels
    groups   the group of each: a sentence, or a meaning
    selects  what a click on each selects
    selected the index of the token whose step is shown
    """

    vectors: Float[np.ndarray, "stage point d_model"]
    names: Sequence[str]
    groups: Sequence[str]
    selects: Sequence[Selection]
    selected: int


def geometry(
    plane: PrincipalPlane,
    plane_points: PlanePoints,
    stage: int,
    step: Sequence[StepPart],
    *,
    stage_names: Sequence[str],
    paths: Sequence[int],
    head: int,
    theme: ThemeName = "light",
) -> Line:
    """All tokens at a stage with paths from the input, and the parts of the selected token's step to this stage.

    step   empty at the first stage, to which no step leads
    paths  the tokens whose paths are drawn
    head   the head whose arrow is marked; the axes of the first panel are the same at every stage
    """
    places = plane.place(plane_points.vectors)
    line: Line = [
        points(places[stage], plane_points.names, plane_points.groups,
               title=f"the vectors at stage “{stage_names[stage]}”",
               extent=extent_of(places), axis_titles=AXES, meaning=AxisMeaning("token", selects=plane_points.selects),
               paths=[(index, places[: stage + 1, index]) for index in paths], marked=plane_points.selected,
               style=PanelStyle(height=HEIGHT, weight=32, theme=theme))
    ]  # fmt: skip
    if not step:
        return line
    start, end = places[stage - 1, plane_points.selected], places[stage, plane_points.selected]
    drawn = step_arrows(plane, step, start)
    heads = [part.head for part in step] + [None] * (len(drawn) - len(step))
    selects: list[Selection] = [{} if index is None else {"head": index} for index in heads]
    ends = [(stage_names[stage - 1], start), (stage_names[stage], end)]
    title = f"the last step of “{shorten(plane_points.names[plane_points.selected])}”, enlarged"
    return [
        *line,
        arrows(drawn, ends, title=title, axis_titles=AXES, meaning=AxisMeaning("component", "", selects),
               marked=heads.index(head) if head in heads else None,
               style=PanelStyle(height=HEIGHT, weight=26, theme=theme)),
    ]  # fmt: skip


def step_arrows(plane: PrincipalPlane, step: Sequence[StepPart], start: Float[np.ndarray, "2"]) -> list[Arrow]:
    """The arrow of each part, from the start of the step; that of a norm begins where the sum of the others ends.

    If several parts are not norms, the last arrow is their sum.
    """
    parts = [part for part in step if not part.is_norm]
    total = sum((plane.direction(part.vector) for part in parts), np.zeros(2))
    drawn = [
        Arrow(name=part.name, start=start + total if part.is_norm else start, step=plane.direction(part.vector),
              colour=_colour(part), strong=part.is_norm or len(parts) == 1)
        for part in step
    ]  # fmt: skip
    if len(parts) > 1:
        drawn.append(Arrow(name="sum", start=start, step=total, colour="text", strong=True))
    return drawn


def _colour(part: StepPart) -> str:
    """The field of the theme: purple for attention, as on every page."""
    return "attention" if part.head is not None else "muted" if part.is_norm else "text"
