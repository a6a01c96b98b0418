"""The current theme, light or dark, and the style sheet of all pages in its colours."""

from pathlib import Path

import streamlit as st

from dashboard.page_list import AppPage, Stage
from encoder_core.figures import ThemeName, theme_named

_STYLE, _PRESENTATION = (Path(__file__).parent / name for name in ("style.css", "presentation.css"))

# Streamlit leaves an empty sidebar when a page without one follows a page that has one. A phone's has a menu of pages.
_NO_SIDEBAR = """@media (min-width: 769px) {
  [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
}
"""


def current_theme() -> ThemeName:
    """The theme that the browser uses."""
    return "dark" if st.context.theme.type == "dark" else "light"


def render_style_sheet(active: AppPage, *, presenting: bool = False) -> None:
    """Render the style sheet in the colours of the current theme, with the link to the active stage highlighted.

    presenting  add the rules of the presentation mode
    """
    colours = theme_named(current_theme())
    names = {"accent": colours.attention, "line": colours.line, "background": colours.background,
             "muted": colours.muted, "masked": colours.masked, "hatch": colours.hatch,
             "query": colours.query, "key": colours.key, "value": colours.value}  # fmt: skip
    variables = "".join(f"--ew-{name}: {colour};" for name, colour in names.items())
    position = active.number + 1 if isinstance(active, Stage) else 0  # among the stage links, counted from 1
    sheet = _STYLE.read_text(encoding="utf-8").replace("ACTIVE", str(position))
    if not active.has_sidebar:
        sheet += _NO_SIDEBAR
    if presenting:
        sheet += _PRESENTATION.read_text(encoding="utf-8")
    st.html(f"<style>:root {{ {variables} }}\n{sheet}</style>")
