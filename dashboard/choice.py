"""A choice between the views of a page: one is always chosen, and it is kept while the session lasts.

A link carries it: like the focus, it is read on arrival at a page, and written into the URL by the picture (focus.py).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from dashboard.settings import link_problem

Option = TypeVar("Option")
_IN_LINK = "choices"  # in the session: parameter -> what the URL should say, None for the default


def choice(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    default: Option,
    spoken: Callable[[Any], str] = str,
    silent: bool = False,
    link: str = "",
) -> Option:
    """What is chosen of `options`, `default` at first.

    silent  leaves the label to those who cannot see the page
    link    the parameter of the URL that says it; none, if empty
    """
    asked = _asked(link, options, default) if link else None
    if asked is not None:
        st.session_state[key] = asked
    chosen = st.segmented_control(
        label,
        options,
        default=default,
        format_func=spoken,
        key=key,
        persist_state="session",
        required=True,
        label_visibility="collapsed" if silent else "visible",
    )
    if link:
        _in_link()[link] = None if chosen == default else str(chosen)
    return chosen


def grouped_choice(label: str, groups: Mapping[str, Sequence[str]], *, key: str, link: str) -> str:
    """What is chosen of options in groups: first the group, then one of it; the first option of all at first."""
    group_of = {option: group for group, options in groups.items() for option in options}
    first = next(iter(group_of))
    asked = _asked(link, list(group_of), first)
    if asked is not None:
        st.session_state[f"{key}_group"] = group_of[asked]
        st.session_state[f"{key}_{group_of[asked]}"] = asked
    group = choice("Group", list(groups), key=f"{key}_group", default=group_of[first], silent=True)
    chosen = choice(label, groups[group], key=f"{key}_{group}", default=groups[group][0], silent=True)
    _in_link()[link] = None if chosen == first else chosen
    return chosen


def address() -> dict[str, str | None]:
    """What the URL should say of the choices of this page; nothing (None) of those of other pages."""
    return dict(_in_link())


def leave() -> None:
    """On arrival at a page: the choices of the one before no longer belong into the URL."""
    st.session_state[_IN_LINK] = dict.fromkeys(_in_link())


def _asked(link: str, options: Sequence[Option], default: Option) -> Option | None:
    """On arrival, the option that the URL asks for; the default, and a sentence, if it asks for something else."""
    said = st.query_params.get_all(link) if st.session_state.get("arriving", True) else []
    if not said:
        return None
    by_name = {str(option): option for option in options}
    problem = link_problem(link, said, list(by_name), default)
    if problem:
        st.warning(problem, icon=":material/info:")
    return default if problem else by_name[said[0]]


def _in_link() -> dict[str, str | None]:
    return st.session_state.setdefault(_IN_LINK, {})
