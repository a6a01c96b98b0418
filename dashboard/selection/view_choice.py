"""A row of options, such as the views of a page: one is always chosen, and the URL contains it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import bind_value, bind_widget

Option = TypeVar("Option")


def render_choice(
    label: str,
    options: Sequence[Option],
    parameter: Parameter[Any],
    *,
    default: Option,
    format_func: Callable[[Any], str] = str,
    hide_label: bool = False,
) -> Option:
    """Render the options in one row and return the chosen one.

    format_func  option -> its text
    hide_label   show the label to screen readers only
    """
    option = session().get_option(parameter, options, default)
    st.segmented_control(
        label,
        options,
        format_func=format_func,
        required=True,
        label_visibility="collapsed" if hide_label else "visible",
        **bind_widget(parameter, option, tuple(options), value_argument="default"),
    )
    return option


def render_grouped_choice(label: str, groups: Mapping[str, Sequence[str]], parameter: Parameter[Any]) -> str:
    """Render a row of groups and a row of the options in the chosen option's group; return the option."""
    group_of = {option: group for group, options in groups.items() for option in options}
    chosen = session().get_option(parameter, list(group_of), next(iter(group_of)))
    last_of_group = session().memo.setdefault(f"last {parameter.name} of each group", {})
    last_of_group[group_of[chosen]] = chosen

    def open_group(group: str) -> None:
        session().set(parameter, last_of_group.get(group, groups[group][0]))

    bound = bind_value(f"{parameter.name}_group", group_of[chosen], open_group, value_argument="default")
    st.segmented_control("Group", list(groups), required=True, label_visibility="collapsed", **bound)
    return render_choice(label, groups[group_of[chosen]], parameter, default=chosen, hide_label=True)
