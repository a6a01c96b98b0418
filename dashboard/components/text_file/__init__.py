"""A button that reads a small text file in the browser and sends its text.

Streamlit's own uploader needs an endpoint for uploads, which dashboard/serving/limits/gate.py closes. This file arrives
as an ordinary message, is never written to disk, and belongs to the session that sent it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.components.static_files import register_component
from dashboard.state.widgets import component_value

# JSON doubles quotes and line ends, and dashboard/serving/limits/gate.py allows messages of 200 kB.
MAX_BYTES = 50_000
_MAX_NAME = 200  # characters

_COMPONENT = register_component("text_file", Path(__file__).parent)


class TextFile(NamedTuple):
    """A file that the user chose.

    size  in bytes
    text  None if the file is too large, or not a text in UTF-8
    """

    name: str
    size: int
    text: str | None


def render_text_file(label: str, *, key: str, on_file: Callable[[TextFile], None]) -> None:
    """Render the button. `on_file` is called before the rerun with the file that the user chose or dropped on it."""

    def on_file_change() -> None:
        file = _parse_file(component_value(key, "file"))
        if file is not None:
            on_file(file)

    _COMPONENT(data={"label": label, "maxBytes": MAX_BYTES}, key=key, width="content",
               on_file_change=on_file_change)  # fmt: skip


def _parse_file(message: Any) -> TextFile | None:
    """The file that the browser sent; None if it is not one, because anybody can send anything."""
    if not isinstance(message, dict):
        return None
    name, size, text = (message.get(field) for field in ("name", "size", "text"))
    if not isinstance(name, str) or type(size) is not int or size < 0 or not isinstance(text, str | None):
        return None
    is_too_large = size > MAX_BYTES or (text is not None and len(text) > MAX_BYTES)
    return TextFile(name[:_MAX_NAME], size, None if is_too_large else text)
