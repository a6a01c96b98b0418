"""The component of the presentation mode: a bar with buttons, and the keys of a keyboard or a presenter's clicker."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from dashboard.components.static_files import register_component
from dashboard.state.widgets import component_value

Action = Literal["previous", "next", "leave"]
_COMPONENT = register_component("presenter", Path(__file__).parent)


def render_presenter(
    previous: str | None, following: str | None, on_action: Callable[[Action], None], *, key: str
) -> None:
    """Render the bar.

    previous, following  the titles of the pages before and after this one, if any
    on_action            called before the rerun when the user presses a button or its key
    """

    def act() -> None:
        action = component_value(key, "action")
        if action in get_args(Action):
            on_action(action)

    _COMPONENT(data={"previous": previous, "following": following}, key=key, on_action_change=act)
