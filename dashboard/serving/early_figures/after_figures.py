"""What a run renders after its figures, although it stands above them: they leave sooner.

What stands in the fragment of a page is rendered as soon as the figures have gone, what stands above the fragment when
the page's script has ended: a fragment cannot render widgets outside of itself.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.serving.early_figures.channels import current_channel


class _Waiting(threading.local):
    """What waits in the run of this thread: the places, and what is rendered there."""

    def __init__(self) -> None:
        self._renders: list[tuple[DeltaGenerator, Callable[[], None]]] = []

    def forget(self) -> None:
        """Forget what a run that was stopped did not render."""
        self._renders = []

    def add(self, place: DeltaGenerator, render: Callable[[], None]) -> None:
        """Let this wait."""
        self._renders.append((place, render))

    def render(self) -> None:
        """Render what waits."""
        renders, self._renders = self._renders, []
        for place, render in renders:
            with place:
                render()


_in_fragment, _above_fragment = _Waiting(), _Waiting()


def begin_figures() -> None:
    """The fragment of a page begins."""
    _in_fragment.forget()


def after_figures(render: Callable[[], None]) -> None:
    """Render something here, in the fragment, when the figures of the run have gone."""
    _in_fragment.add(st.container(width="content"), render)


def after_page(place: DeltaGenerator, render: Callable[[], None]) -> None:
    """Render something in a container above the fragment, when the page's script has ended (`page_run`)."""
    _above_fragment.add(place, render)


def end_figures() -> None:
    """The run has rendered its figures: what follows is not held back any more, and what has waited is rendered."""
    if channel := current_channel():
        channel.end_run()
    _in_fragment.render()


@contextmanager
def page_run() -> Iterator[None]:
    """Context in which the script of a page runs."""
    _above_fragment.forget()
    yield
    _above_fragment.render()
