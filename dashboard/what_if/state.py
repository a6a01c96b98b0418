"""The what-if edits of a session: a history of lists of edits, and the one in use, which the URL carries.

Every change is a new state of the history, so that each, a reset included, can be undone and done again.
"""

from typing import NamedTuple

import streamlit as st

from encoder_core import Edit, EncoderConfig, fitting_edits
from encoder_core.edits import from_text, to_text

STATE = "what_if"
CHANGED = "what_if_changed"  # a fragment has to hand over to the whole page
BETWEEN = "~"  # edits in a link
MOST = 24  # edits at once


class Found(NamedTuple):
    """The edits in use that can be used together, and a sentence for each other one."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]


def texts() -> tuple[str, ...]:
    """The edits in use, as texts; at first those of the link."""
    state = _state()
    return state["states"][state["at"]]


def fitting(config: EncoderConfig, batch: int, seq: int) -> Found:
    """The edits that fit a model and its batch, and one another. The others are kept, and named: they may fit again."""
    found = fitting_edits([from_text(text) for text in texts()], config, batch, seq)
    return Found(found.edits, (*_state()["problems"], *found.problems))


def add(edit: Edit) -> None:
    """One more edit; one at the same place takes the place of the one before. Call it from a callback."""
    new, place = to_text(edit), _place(to_text(edit))
    kept = [text for text in texts() if _place(text) != place]
    _become((*kept, new)[-MOST:])


def remove(text: str) -> None:
    """Without this edit."""
    _become(tuple(other for other in texts() if other != text))


def reset() -> None:
    """Without any."""
    _become(())


def undo() -> None:
    """The state before."""
    _state()["at"] = max(0, _state()["at"] - 1)
    st.session_state[CHANGED] = True


def redo() -> None:
    """The state that was undone."""
    _state()["at"] = min(len(_state()["states"]) - 1, _state()["at"] + 1)
    st.session_state[CHANGED] = True


def can_undo() -> bool:
    """Whether there is a state before."""
    return _state()["at"] > 0


def can_redo() -> bool:
    """Whether a state was undone."""
    return _state()["at"] < len(_state()["states"]) - 1


def in_address() -> str | None:
    """What the URL says of the edits."""
    return BETWEEN.join(texts()) or None


def _place(text: str) -> str:
    return text.partition("=")[0]


def _become(new: tuple[str, ...]) -> None:
    state = _state()
    if new != texts():
        state["states"] = [*state["states"][: state["at"] + 1], new]
        state["at"] += 1
    state["problems"] = ()
    st.session_state[CHANGED] = True


def _state() -> dict:
    if STATE not in st.session_state:
        in_link = [text for text in st.query_params.get("edits", "").split(BETWEEN) if text]
        asked = list(dict.fromkeys(in_link))
        good, problems = [], []
        for text in asked[:MOST]:
            try:
                good.append(to_text(from_text(text)))
            except ValueError as error:
                problems.append(f"The link asks for a what-if that is left out: {error}")
        if len(asked) < len(in_link) or len(set(good)) < len(good):
            problems.append("The link has the same what-if several times; it is used once.")
        if len(asked) > MOST:
            problems.append(f"The link has {len(asked)} what-ifs; the first {MOST} are used.")
        st.session_state[STATE] = {"states": [tuple(dict.fromkeys(good))], "at": 0, "problems": tuple(problems)}
    return st.session_state[STATE]
