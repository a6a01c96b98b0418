"""What pages show of an axis that is too wide: a window of so many columns that each is still a cell to look at, or all
of them in bins.

The choice is one for all pages that show the axis. It goes with the person, and a link carries it: like the focus, it
is read on arrival at a page, and written into the URL by the picture (focus.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from dashboard.settings import link_problem
from encoder_core import EncoderConfig
from encoder_core.figures import Window

WINDOW = 64  # columns of a window, and bins where all are shown
ALL = "all"
AxisName = Literal["dims", "neurons", "features"]  # as in the URL
LABELS: dict[AxisName, str] = {"dims": "Dimensions", "neurons": "Neurons", "features": "Columns"}

_CHOSEN, _SIZES = "windows", "axis_sizes"  # in the session: axis -> "64-127" or "all", and axis -> its columns


@dataclass(frozen=True)
class Wide:
    """An axis of this page with `count` columns; up to `whole`, all are shown. `bins`: whether more can be, in bins."""

    name: AxisName
    count: int
    whole: int = WINDOW
    bins: bool = True

    def window(self) -> Window:
        """What is shown of it."""
        chosen = self._chosen()
        if self.count <= self.whole:
            return Window(0, self.count)
        if chosen == ALL:
            return Window(0, self.count).fitted(WINDOW)
        start = int(chosen.partition("-")[0])
        return Window(start, min(start + WINDOW, self.count))

    def pick(self) -> Window:
        """Draw the choice, where there is one; and what is shown."""
        if self.count > self.whole:
            key = f"window_{self.name}"
            st.session_state[key] = self._chosen()
            st.selectbox(
                f"{LABELS[self.name]} of {self.count}",
                self._options(),
                format_func=self._spoken,
                key=key,
                on_change=self._picked,
                args=(key,),
                filter_mode=None,
                width=170,
            )
        return self.window()

    def _options(self) -> Sequence[str]:
        return options(self.count) if self.bins else options(self.count)[:-1]

    def _chosen(self) -> str:
        """What was chosen, here or on another page; if that was for another model and is not here, the first window."""
        chosen = _remembered().get(self.name, "")
        return chosen if chosen in self._options() else self._options()[0]

    def _spoken(self, option: str) -> str:
        if option == ALL:
            return f"all, in bins of {Window(0, self.count).fitted(WINDOW).size}"
        return option.replace("-", " to ")

    def _picked(self, key: str) -> None:
        _remembered()[self.name] = st.session_state[key]
        st.session_state.get("link", {}).pop(self.name, None)


def options(count: int) -> list[str]:
    """What can be shown of `count` columns, counted from 0 as in code: each window, and all in bins."""
    return [f"{start}-{min(start + WINDOW, count) - 1}" for start in range(0, count, WINDOW)] + [ALL]


def arrive(config: EncoderConfig) -> None:
    """At the beginning of a page: the sizes of the model; and on arrival at it, what its link says."""
    st.session_state[_SIZES] = sizes(config)
    if st.session_state.get("arriving", True):
        _remembered().update({name: st.query_params[name] for name in LABELS if name in st.query_params})


def address() -> dict[str, str | None]:
    """What the URL should say; the first window is left out of it (None), and so is what the model does not have."""
    chosen = _remembered()
    found = {name: options(count)[1:] for name, count in st.session_state.get(_SIZES, {}).items()}
    return {name: chosen[name] if chosen.get(name) in found.get(name, []) else None for name in LABELS}


def link_problems(params: Mapping[str, Sequence[str]], config: EncoderConfig) -> list[str]:
    """One sentence for each axis of which a link asks for what is not there, and what is shown instead."""
    found = []
    for name, count in sizes(config).items():
        given, allowed = params.get(name, []), options(count)
        used = given[-1] if given and given[-1] in allowed else allowed[0]
        found.append(link_problem(name, given, allowed, used))
    return [problem for problem in found if problem]


def sizes(config: EncoderConfig) -> dict[AxisName, int]:
    """How many columns each axis of a model has."""
    return {"dims": config.d_model, "neurons": config.d_ff, "features": config.attention_dim}


def _remembered() -> dict[AxisName, str]:
    return st.session_state.setdefault(_CHOSEN, {})
