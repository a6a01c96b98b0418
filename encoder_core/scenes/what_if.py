"""Scenes of the what-ifs: one tensor before and after, and how far the change travels through the stack."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures import Line, ThemeName, Window, heatmap, scale_of
from encoder_core.figures.axis import AxisKind
from encoder_core.scenes.full_stack import stage_axis
from encoder_core.scenes.position import Position

HEIGHT = 200


def before_and_after(
    before: Float[np.ndarray, "row column"],
    after: Float[np.ndarray, "row column"],
    *,
    title: str,
    axes: tuple[AxisKind, AxisKind],
    rows: Sequence[str],
    columns: Sequence[str] | Window,
    weights: bool,
    mark: tuple[int, int] | None,
    theme: ThemeName = "light",
) -> Line:
    """A tensor before the edits → after them, and their difference. Masked cells count as no change.

    Before and after are on one scale. The difference, which may be a thousand times smaller, has its own.
    weights  values from 0 to 1: their difference is signed
    mark     the cell looked at
    """
    with np.errstate(invalid="ignore"):
        apart = after - before
    apart = np.where(np.isfinite(before) | np.isfinite(after), apart, 0.0)
    common: dict[str, Any] = {"row_axis": axes[0], "column_axis": axes[1], "height": HEIGHT,
                              "marks": [mark] if mark else [], "theme": theme}  # fmt: skip
    kind: dict[str, Any] = {"kind": "weights", "limit": 1.0} if weights else {"limit": scale_of(before, after)}
    title_apart = "difference, own scale" if apart[np.isfinite(apart)].any() else "no difference"
    return [
        heatmap(before, rows, columns, title=f"{title} before", **common, **kind),
        "→",
        heatmap(after, rows, columns, title="after", **common, **kind),
        "Δ",
        heatmap(apart, rows, columns, title=title_apart, limit=scale_of(apart), **common),
    ]


def travelled(
    distance: Float[np.ndarray, "stage seq"],
    at: Position,
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """How far each token's row of the residual stream has moved: what enters, and what leaves each block."""
    stages = ["embedded", *(f"block {i + 1}" for i in range(len(distance) - 1))]
    return [
        heatmap(distance, stages, tokens, row_axis=stage_axis(len(stages) - 1), column_axis="token",
                kind="weights", limit=float(distance.max()) or 1.0,
                title="how far the change travels: length of the difference",
                marks=[(at.layer + 1, at.token)], height=max(64, 18 * len(stages)), theme=theme),
    ]  # fmt: skip


def all_left_out(
    heads: Float[np.ndarray, "layer head"],
    tokens: Float[np.ndarray, "token seq"],
    at: Position,
    *,
    tokens_are: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """How far the output moves without each head, on average over the tokens, and how far each token's output moves
    without each token."""

    def kind(effect: Float[np.ndarray, "row column"]) -> dict[str, Any]:
        return {"kind": "weights", "limit": float(effect.max()) or 1.0, "height": 300, "theme": theme}

    return [
        heatmap(heads, [f"layer {i + 1}" for i in range(len(heads))], [f"head {i + 1}" for i in range(heads.shape[1])],
                row_axis="layer", column_axis="head", title="how far the output moves without each head",
                marks=[(at.layer, at.head)], **kind(heads)),
        "",
        heatmap(tokens, tokens_are, tokens_are, row_axis="hidden token", column_axis="token",
                title="how far each output moves without the token of the row",
                marks=[(at.token, None), (None, at.token)], **kind(tokens)),
    ]  # fmt: skip
