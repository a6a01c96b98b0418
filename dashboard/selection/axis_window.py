"""What pages show of an axis that is too wide: a window of so many columns that each is still a cell to look at, or all
of them in bins.

The choice is one for all pages that show the axis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import streamlit as st

from dashboard.state.parameter import Parameter, text
from dashboard.state.session import session
from dashboard.state.widgets import shows
from encoder_core.figures import Window

WINDOW = 64  # columns of a window, and bins where all are shown
ALL = "all"
AxisName = Literal["dims", "neurons", "features"]  # as in the URL
LABELS: dict[AxisName, str] = {"dims": "Dimensions", "neurons": "Neurons", "features": "Columns"}
WINDOWS: dict[AxisName, Parameter[str | None]] = {name: text(name) for name in get_args(AxisName)}  # "64-127" or "all"


@dataclass(frozen=True)
class Wide:
    """An axis of this page with `count` columns; up to `whole`, all are shown. `bins`: whether more can be, in bins."""

    name: AxisName
    count: int
    whole: int = WINDOW
    bins: bool = True

    def window(self) -> Window:
        """What is shown of it."""
        if self.count <= self.whole:
            return Window(0, self.count)
        chosen = self._chosen()
        if chosen == ALL:
            return Window(0, self.count).fitted(WINDOW)
        start = int(chosen.partition("-")[0])
        return Window(start, min(start + WINDOW, self.count))

    def pick(self) -> Window:
        """Render the picker, where there is a choice, and return the window."""
        if self.count > self.whole:
            options = self._options()
            st.selectbox(
                f"{LABELS[self.name]} of {self.count}",
                options,
                format_func=self._label,
                filter_mode=None,
                width=170,
                **shows(WINDOWS[self.name], self._chosen(), options, begins=options),
            )
        return self.window()

    def _options(self) -> Sequence[str]:
        return options(self.count) if self.bins else options(self.count)[:-1]

    def _chosen(self) -> str:
        """What was chosen, on this page or another; the first window where this model has no such window."""
        return session().among(WINDOWS[self.name], self._options(), self._options()[0])

    def _label(self, option: str) -> str:
        if option == ALL:
            return f"all, in bins of {Window(0, self.count).fitted(WINDOW).size}"
        return option.replace("-", " to ")


def options(count: int) -> list[str]:
    """What can be shown of `count` columns, counted from 0 as in code: each window, and all in bins."""
    return [f"{start}-{min(start + WINDOW, count) - 1}" for start in range(0, count, WINDOW)] + [ALL]
