"""The grid of a mask: one cell for each query and key, which a click, a drag or a key toggles."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool

from dashboard.components.static_files import register_component
from dashboard.state.session import session
from dashboard.state.widgets import component_value
from encoder_core.support.wording import shorten

_COMPONENT = register_component("mask_grid", Path(__file__).parent)


def render_mask_grid(
    mask: Bool[np.ndarray, "row column"],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    key: str,
    on_change: Callable[[Bool[np.ndarray, "row column"]], None],
) -> None:
    """Render the mask with these labels. `on_change` is called before the rerun with the mask after a click.

    key  differs for every grid: a late message about one grid must not change another one
    """
    answered = f"{key}_answered"  # in `Session.memo`: the number of the last message that was answered

    def on_cells_change() -> None:
        message = component_value(key, "cells")
        changed = _changed(mask, message)
        if changed is not None:
            session().memo[answered] = message["number"]
            on_change(changed)

    _COMPONENT(
        data={
            "rows": [shorten(label) for label in rows],
            "columns": [shorten(label) for label in columns],
            "cells": "".join(map(str, mask.astype(int).ravel())),
            "answered": session().memo.get(answered, 0),
        },
        key=key,
        on_cells_change=on_cells_change,
    )


def _changed(mask: Bool[np.ndarray, "row column"], message: Any) -> Bool[np.ndarray, "row column"] | None:
    """The mask after a message of the browser; None if it is not one, because anybody can send anything."""
    if not isinstance(message, dict) or type(message.get("number")) is not int:
        return None
    changed = mask.copy()
    for name in ("hidden", "visible"):
        indices = message.get(name)
        if not isinstance(indices, list) or not all(type(i) is int and 0 <= i < mask.size for i in indices):
            return None
        changed.flat[indices] = name == "visible"
    return changed
