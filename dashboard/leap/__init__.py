"""A leap to another page from code: `st.switch_page` refuses to, where widgets are bound to the URL."""

from pathlib import Path

from dashboard.assets import component
from dashboard.stages import stage_named

_COMPONENT = component("leap", Path(__file__).parent)


def leap(stage: str) -> None:
    """Go to this stage of the walkthrough."""
    _COMPONENT(data={"number": stage_named(stage).number}, key="leap")
