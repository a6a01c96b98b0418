"""The app as an ASGI application that starts the warm-up with the server, before the first visit (`make run`).

    PYTHONPATH=. streamlit run dashboard/server.py

`streamlit run streamlit_app.py` works as well; its warm-up starts with the first visit.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager

from dashboard.components.plotly_bundle import PLOTLY
from dashboard.components.static_files import publish, publish_all
from dashboard.models import warm_up
from dashboard.page_list import PAGES, STAGES, START, AppPage, Stage
from dashboard.serving.compressed_scripts import CompressedScripts
from dashboard.serving.early_figures.held_messages import HeldMessages
from dashboard.serving.early_figures.middleware import EarlyFigures
from dashboard.serving.early_html import EarlyHtml
from dashboard.serving.early_plotly import EarlyPlotly
from dashboard.serving.limits.gate import Gate
from dashboard.serving.limits.unread import end_unread_connections
from dashboard.serving.limits.visitors import MAX_SESSIONS
from dashboard.theme import EARLY_SIDEBAR, early_style_sheet

# More connections than sessions: those above the limit of sessions get a sentence.
_MAX_CONNECTIONS = MAX_SESSIONS + max(20, MAX_SESSIONS // 3)
_STYLE = early_style_sheet()
_COMPONENTS = Path(__file__).parent / "components"
# Of the components that every stage has. Each asked for by the one before, they would take four round trips.
_STAGE_SCRIPTS = publish_all(
    _COMPONENTS / path
    for path in ("plot/plot.js", "derivation/derivation.js", "address_bar/address.js", "term_tips/term_tips.js")
)

_FIRST_COMPONENT = (_COMPONENTS / "shared/first_component.js").read_text(encoding="utf-8")
_LOADER = publish(_COMPONENTS / "plot/drawing/load_plotly.js")


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    end_unread_connections()
    warm_up.start()
    # As `st.navigation` does. Until then, Streamlit takes the folder `pages` for an app of its older kind: it would run
    # the first page alone, end that run, and begin again (`ensure_entrypoint`); the sidebar's room closed in between.
    PagesManager.uses_pages_directory = False
    yield


def early_html(page: AppPage) -> str:
    """What the HTML of a page has before its elements: its style, the script that brings the first component forward,
    and which scripts a stage is going to import."""
    style = _STYLE + EARLY_SIDEBAR * page.has_sidebar
    scripts = _STAGE_SCRIPTS if isinstance(page, Stage) else []
    needs = f' data-loader="app/static/{_LOADER}" data-plotly="{PLOTLY}"' if scripts else ""
    # Relative to the page, as the addresses in Streamlit's HTML are. After those: they are needed before.
    links = [f'<link rel="modulepreload" fetchpriority="low" href="app/static/{script}">' for script in scripts]
    return f"<style>{style}</style><script{needs}>{_FIRST_COMPONENT}</script>{''.join(links)}"


SCRIPT = Path(__file__).parent.parent / "streamlit_app.py"
MIDDLEWARE = [
    Middleware(EarlyFigures),
    Middleware(Gate, most=_MAX_CONNECTIONS),
    Middleware(HeldMessages),
    Middleware(CompressedScripts),
    Middleware(EarlyPlotly, PLOTLY, [stage.name for stage in STAGES], ["", START.name]),
    Middleware(EarlyHtml, {"": early_html(START)} | {page.name: early_html(page) for page in PAGES}),
]

app = st.App(SCRIPT, lifespan=_lifespan, middleware=MIDDLEWARE)
