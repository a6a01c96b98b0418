"""Windows of axes that are too wide to show cell by cell: a range of columns, or all columns in bins.

All pages with the same axis share the choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import streamlit as st

from dashboard.state.parameter import Parameter, declare_text
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.figures import Window

WINDOW = 64  # columns of a window; bins for all columns
ALL = "all"
AxisName = Literal["dims", "neurons", "features"]  # names in the URL
LABELS: dict[AxisName, str] = {"dims": "Dimensions", "neurons": "Neurons", "features": "Columns"}
WINDOWS: dict[AxisName, Parameter[str | None]] = {
    name: declare_text(name) for name in get_args(AxisName)
}  # "64-127" or "all"


@dataclass(frozen=True)
class WideAxis:
    """An axis of `count` columns; up to `max_full` columns need no window.

    allow_bins  whether the user can choose to see all columns in bins
    """

    name: AxisName
    count: int
    max_full: int = WINDOW
    allow_bins: bool = True

    def window(self) -> Window:
        """The chosen window."""
        if self.count <= self.max_full:
            return Window(0, self.count)
        option = self._current_option()
        if option == ALL:
            return Window(0, self.count).fitted(WINDOW)
        start = int(option.partition("-")[0])
        return Window(start, min(start + WINDOW, self.count))

    def render_picker(self) -> Window:
        """Render the picker, if the axis needs a window, and return the window."""
        if self.count > self.max_full:
            options = self._options()
            st.selectbox(
                f"{LABELS[self.name]} of {self.count}",
                options,
                format_func=self._label,
                filter_mode=None,
                width=155,
                **bind_widget(WINDOWS[self.name], self._current_option(), options, index_of=options),
            )
        return self.window()

    def _options(self) -> Sequence[str]:
        return window_options(self.count) if self.allow_bins else window_options(self.count)[:-1]

    def _current_option(self) -> str:
        """The choice of this session, or the first window if this model does not have the chosen one."""
        return session().get_option(WINDOWS[self.name], self._options(), self._options()[0])

    def _label(self, option: str) -> str:
        if option == ALL:
            return f"all, in bins of {Window(0, self.count).fitted(WINDOW).size}"
        return option.replace("-", " to ")


def window_options(count: int) -> list[str]:
    """The options for `count` columns, counted from 0: each window, and all columns in bins."""
    return [f"{start}-{min(start + WINDOW, count) - 1}" for start in range(0, count, WINDOW)] + [ALL]
