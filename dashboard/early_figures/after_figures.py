"""What a run renders after its figures, although it stands above them: they leave sooner."""

import threading
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.early_figures.channels import current_channel


class _Waiting(threading.local):
    """What waits in the run of this thread: the places, and what is rendered there."""

    def __init__(self) -> None:
        self.renders: list[tuple[DeltaGenerator, Callable[[], None]]] = []


_waiting = _Waiting()


def begin_figures() -> None:
    """A run begins. What one that was stopped did not render is forgotten."""
    _waiting.renders = []


def after_figures(render: Callable[[], None]) -> None:
    """Render something here, when the figures of the run have gone."""
    _waiting.renders.append((st.container(width="content"), render))


def end_figures() -> None:
    """The run has rendered its figures: what follows is not held back any more, and what has waited is rendered."""
    if channel := current_channel():
        channel.end_run()
    renders, _waiting.renders = _waiting.renders, []
    for place, render in renders:
        with place:
            render()
