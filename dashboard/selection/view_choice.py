"""A choice between the views of a page: one is always chosen, and the URL carries it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import shows, shows_value

Option = TypeVar("Option")


def choice(
    label: str,
    options: Sequence[Option],
    parameter: Parameter[Any],
    *,
    default: Option,
    spoken: Callable[[Any], str] = str,
    silent: bool = False,
) -> Option:
    """Render the options in one row and return the chosen one.

    spoken  the label of an option
    silent  the label of the row is for screen readers only
    """
    chosen = session().among(parameter, options, default)
    st.segmented_control(
        label,
        options,
        format_func=spoken,
        required=True,
        label_visibility="collapsed" if silent else "visible",
        **shows(parameter, chosen, tuple(options), begins="default"),
    )
    return chosen


def grouped_choice(label: str, groups: Mapping[str, Sequence[str]], parameter: Parameter[Any]) -> str:
    """Options in groups: a row for the groups, and a row for the options of the group that the chosen one is in."""
    group_of = {option: group for group, options in groups.items() for option in options}
    chosen = session().among(parameter, list(group_of), next(iter(group_of)))
    last_of_group = session().memo.setdefault(f"last {parameter.name} of each group", {})
    last_of_group[group_of[chosen]] = chosen

    def open_group(group: str) -> None:
        session().set(parameter, last_of_group.get(group, groups[group][0]))

    bound = shows_value(f"{parameter.name}_group", group_of[chosen], open_group, begins="default")
    st.segmented_control("Group", list(groups), required=True, label_visibility="collapsed", **bound)
    return choice(label, groups[group_of[chosen]], parameter, default=chosen, silent=True)
