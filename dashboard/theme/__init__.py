"""The current theme, light or dark, and the style sheet of all pages in its colours."""

import re
from functools import cache
from pathlib import Path

import streamlit as st

from dashboard.page_list import LABS, WORKSHOP, AppPage, Stage
from encoder_core.figures import ThemeName, theme_named

_STYLE, _PRESENTATION, _EARLY = (
    Path(__file__).parent / name for name in ("style.css", "presentation.css", "early.css")
)
# The edges of what can be changed: 3:1 on the backgrounds of the page, of the sidebar and of fields, and no more.
_FIELD: dict[ThemeName, str] = {"light": "#868da0", "dark": "#667085"}
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)

# Streamlit leaves an empty sidebar when a page without one follows a page that has one. A phone's has a menu of pages.
_NO_SIDEBAR = """@media (min-width: 769px) {
  [data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }
}
"""

# The entry of the top bar with the menu that the page is in: the rail has stages only.
_MENU = """.rc-overflow-item:nth-child(POSITION) > [data-testid="stTopNavSection"] {
  background: color-mix(in srgb, var(--ew-accent) 14%, transparent); }
.rc-overflow-item:nth-child(POSITION) > [data-testid="stTopNavSection"] p { color: var(--ew-accent); font-weight: 650; }
"""

# The room of a sidebar that has not arrived. Where a page turns out to have none, its own style sheet says so.
EARLY_SIDEBAR = """@media (min-width: 769px) {
  [data-testid="stApp"]:not([data-test-script-state="notRunning"])
    [data-testid="stAppViewContainer"]:not(:has(> [data-testid="stSidebar"])) {
      padding-left: var(--ew-sidebar-room, 300px); }
}
"""


def current_theme() -> ThemeName:
    """The theme that the browser uses."""
    return "dark" if st.context.theme.type == "dark" else "light"


def early_style_sheet() -> str:
    """The style sheet for the HTML of all pages, before any element arrives: in the colours that the system asks for,
    and without a highlighted stage. What `render_style_sheet` sends takes precedence."""
    light, dark = (f":where(:root) {{ {_variables(name)} }}" for name in ("light", "dark"))
    rules = _COMMENT.sub("", _rules(0))
    return f"{light} @media (prefers-color-scheme: dark) {{ {dark} }}\n{rules}{_EARLY.read_text(encoding='utf-8')}"


def render_style_sheet(active: AppPage, *, presenting: bool = False) -> None:
    """Render the style sheet in the colours of the current theme, with the link to the active stage highlighted.

    presenting  add the rules of the presentation mode
    """
    sheet = _rules(active.number + 1 if isinstance(active, Stage) else 0)
    if active in (*LABS, *WORKSHOP):
        sheet += _MENU.replace("POSITION", "3" if active in LABS else "4")
    if not active.has_sidebar:
        sheet += _NO_SIDEBAR
    if presenting or not active.has_sidebar:
        sheet += ":root { --ew-sidebar-room: 0px; }\n"
    if presenting:
        sheet += _PRESENTATION.read_text(encoding="utf-8")
    st.html(f"<style>:root {{ {_variables(current_theme())} }}\n{sheet}</style>")


def _variables(theme: ThemeName) -> str:
    """The colours of a theme, as variables."""
    colours = theme_named(theme)
    names = {"accent": colours.attention, "line": colours.line, "background": colours.background,
             "field": _FIELD[theme], "muted": colours.muted, "masked": colours.masked, "hatch": colours.hatch,
             "query": colours.query, "key": colours.key, "value": colours.value}  # fmt: skip
    return "".join(f"--ew-{name}: {colour};" for name, colour in names.items())


@cache
def _rules(position: int) -> str:
    """The rules of all pages; `position` is that of the active stage among the stage links, counted from 1."""
    return _STYLE.read_text(encoding="utf-8").replace("ACTIVE", str(position))
