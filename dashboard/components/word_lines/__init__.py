"""Attention as lines between words: two rows of the same words, and lines from the selected query to its keys.

Where the words do not fit into one row, they are a paragraph, in which each word is a query and a key.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from dashboard.components.static_files import register_component
from dashboard.state.widgets import component_value
from encoder_core.figures import ThemeName, line_styles, word_lines
from encoder_core.figures.word_lines import SMALLEST_WEIGHT
from encoder_core.support.wording import shorten

_COMPONENT = register_component("word_lines", Path(__file__).parent)
_MAX_IN_ALT = 5  # weights that the alt text names

Side = Literal["query", "key"]


@dataclass(frozen=True)
class HeadLines:
    """The weights of one query in one or several heads.

    weights   of the query
    heads     names of the heads
    selected  the head whose weights are written at the keys
    """

    weights: Float[np.ndarray, "head key"]
    heads: Sequence[str]
    selected: int = 0


def render_word_lines(
    words: Sequence[str],
    query: int,
    lines: HeadLines | None,
    *,
    title: str,
    sides: tuple[str, str],
    key: str,
    theme: ThemeName,
    selected_key: int | None = None,
    hint: str = "",
    on_word: Callable[[Side, int], None],
    on_head: Callable[[int], None] | None = None,
) -> None:
    """Render the words and the lines of the selected query; without `lines`, the words alone.

    query         the selected word
    sides         what the two rows are, for the labels beside them
    selected_key  the key that is marked, if any
    hint          a text in the place of the lines
    on_word       called with the row and the number of a clicked word, before the rerun
    on_head       called with the number of a clicked head in the legend; without it, there is no legend
    """

    def on_word_click() -> None:
        clicked = component_value(key, "word")
        if isinstance(clicked, list) and len(clicked) == 2:
            side, index = clicked
            if side in ("query", "key") and _is_index(index, len(words)):
                on_word(side, index)

    def on_head_click() -> None:
        index = component_value(key, "head")
        if on_head and lines and _is_index(index, len(lines.heads)):
            on_head(index)

    _COMPONENT(
        data={
            "title": title,
            "sides": sides,
            "hint": hint,
            "key": selected_key,
            "words": [{"label": shorten(word), "word": word} for word in words],
            "query": query,
            "heads": _heads(lines, theme) if lines else [],
            "lines": [list(line) for line in word_lines(lines.weights)] if lines else [],
            "selected": lines.selected if lines else 0,
            "legend": on_head is not None and lines is not None,
            "alt": alt_text(words, query, lines),
        },
        key=key,
        on_word_change=on_word_click,
        on_head_change=on_head_click,
    )


def alt_text(words: Sequence[str], query: int, lines: HeadLines | None) -> str:
    """The largest weights of the query in the selected head, as text."""
    if lines is None:
        return f"The words of the sentence; “{words[query]}” is selected."
    weights = lines.weights[lines.selected]
    largest = [
        place for place in np.argsort(-weights, kind="stable")[:_MAX_IN_ALT] if weights[place] >= SMALLEST_WEIGHT
    ]
    texts = ", ".join(f"“{words[place]}” {weights[place]:.2f}" for place in largest)
    return f"Lines from “{words[query]}” to the words it attends to. {lines.heads[lines.selected]}: {texts or 'none'}."


def _heads(lines: HeadLines, theme: ThemeName) -> list[dict[str, str]]:
    styles = line_styles(len(lines.heads), theme)
    return [{"name": name, **style._asdict()} for name, style in zip(lines.heads, styles, strict=True)]


def _is_index(value: Any, count: int) -> bool:
    """Whether a value that the browser sent is the number of one of `count` things."""
    return type(value) is int and 0 <= value < count
