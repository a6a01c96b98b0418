"""The appearance in use, light or dark, and the style sheet of all pages in its colours."""

from pathlib import Path

import streamlit as st

from dashboard.page_list import Lab, Stage
from encoder_core.figures import ThemeName, theme_named

_STYLE = Path(__file__).parent / "style.css"


def current_theme() -> ThemeName:
    """The appearance in use."""
    return "dark" if st.context.theme.type == "dark" else "light"


def style_sheet(active: Stage | Lab) -> None:
    """The style sheet, in the colours of the appearance in use, with this stage marked in the rail."""
    colours = theme_named(current_theme())
    names = {"accent": colours.attention, "line": colours.line, "background": colours.background}
    variables = "".join(f"--ew-{name}: {colour};" for name, colour in names.items())
    place = active.number + 1 if isinstance(active, Stage) else 0
    sheet = _STYLE.read_text(encoding="utf-8").replace("ACTIVE", str(place))
    st.html(f"<style>:root {{ {variables} }}\n{sheet}</style>")
