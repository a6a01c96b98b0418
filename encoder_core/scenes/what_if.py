"""Scenes of the what-ifs: one tensor before and after, and how far the change travels through the stack."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures import ThemeName, Window, heatmap, scale_of

HEIGHT = 200


def before_and_after(
    before: Float[np.ndarray, "row column"],
    after: Float[np.ndarray, "row column"],
    *,
    title: str,
    axes: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str] | Window,
    weights: bool,
    mark: tuple[int, int] | None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """A tensor before the edits → after them, and their difference, on one scale. Masked cells count as no change.

    weights  values from 0 to 1: their difference is signed, on the same scale
    mark     the cell looked at
    """
    with np.errstate(invalid="ignore"):
        apart = after - before
    apart = np.where(np.isfinite(before) | np.isfinite(after), apart, 0.0)
    finite = [x[np.isfinite(x)] for x in (before, after, apart)]
    limit = 1.0 if weights else scale_of(*finite)
    common: dict[str, Any] = {"row_axis": axes[0], "column_axis": axes[1], "limit": limit, "height": HEIGHT,
                              "marks": [mark] if mark else [], "theme": theme}  # fmt: skip
    kind: dict[str, Any] = {"kind": "weights" if weights else "signed"}
    return [
        heatmap(before, rows, columns, title=f"{title} before", **common, **kind),
        "→",
        heatmap(after, rows, columns, title="after", **common, **kind),
        "Δ",
        heatmap(apart, rows, columns, title="difference", **common),
    ]


def travelled(
    distance: Float[np.ndarray, "stage seq"],
    *,
    tokens: Sequence[str],
    layer: int,
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """How far each token's row of the residual stream has moved: what enters, and what leaves each block."""
    stages = ["embedded", *(f"block {i + 1}" for i in range(len(distance) - 1))]
    return [
        heatmap(distance, stages, tokens, row_axis="stage", column_axis="token", kind="weights",
                limit=float(distance.max()) or 1.0, title="how far the change travels: length of the difference",
                marks=[(layer + 1, token)], height=max(64, 18 * len(stages)), theme=theme),
    ]  # fmt: skip


def all_left_out(
    heads: Float[np.ndarray, "layer head"],
    tokens: Float[np.ndarray, "token seq"],
    *,
    layer: int,
    head: int,
    token: int,
    tokens_are: Sequence[str],
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """What the output loses without each head, on average over the tokens, and what each token's loses without each
    token."""

    def kind(effect: Float[np.ndarray, "row column"]) -> dict[str, Any]:
        return {"kind": "weights", "limit": float(effect.max()) or 1.0, "height": 300, "theme": theme}

    return [
        heatmap(heads, [f"layer {i + 1}" for i in range(len(heads))], [f"head {i + 1}" for i in range(heads.shape[1])],
                row_axis="layer", column_axis="head", title="what the output loses without each head",
                marks=[(layer, head)], **kind(heads)),
        "",
        heatmap(tokens, tokens_are, tokens_are, row_axis="hidden token", column_axis="token",
                title="without the token of the row, each token's output moves by",
                marks=[(token, None), (None, token)], **kind(tokens)),
    ]  # fmt: skip
