"""Functions that are told how far a long computation or a download is."""

from collections.abc import Callable
from typing import Any

from encoder_core.support.validation import invalid_value

Progress = Callable[[int, int], object]  # how much is done, of how much; an exception that it raises ends the work


def require_progress(progress: Any) -> None:
    """Raises ValueError for what is neither None nor a function."""
    if progress is not None and not callable(progress):
        raise invalid_value("progress", progress, "None and functions of two numbers")
