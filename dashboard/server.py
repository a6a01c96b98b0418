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
from dashboard.models import warm_up
from dashboard.page_list import PAGES, STAGES, START
from dashboard.serving.compressed_scripts import CompressedScripts
from dashboard.serving.early_figures.held_messages import HeldMessages
from dashboard.serving.early_figures.middleware import EarlyFigures
from dashboard.serving.early_plotly import EarlyPlotly
from dashboard.serving.early_style import EarlyStyle
from dashboard.serving.limits.gate import Gate
from dashboard.serving.limits.visitors import MAX_SESSIONS
from dashboard.theme import EARLY_SIDEBAR, early_style_sheet

# More connections than sessions: those above the limit of sessions get a sentence.
_MAX_CONNECTIONS = MAX_SESSIONS + max(20, MAX_SESSIONS // 3)


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    warm_up.start()
    # As `st.navigation` does. Until then, Streamlit takes the folder `pages` for an app of its older kind: it would run
    # the first page alone, end that run, and begin again (`ensure_entrypoint`); the sidebar's room closed in between.
    PagesManager.uses_pages_directory = False
    yield


SCRIPT = Path(__file__).parent.parent / "streamlit_app.py"
MIDDLEWARE = [
    Middleware(EarlyFigures),
    Middleware(Gate, most=_MAX_CONNECTIONS),
    Middleware(HeldMessages),
    Middleware(CompressedScripts),
    Middleware(EarlyPlotly, PLOTLY, [stage.name for stage in STAGES], ["", START.name]),
    Middleware(
        EarlyStyle,
        early_style_sheet(),
        ["", *(page.name for page in PAGES)],
        EARLY_SIDEBAR,
        [page.name for page in PAGES if page.has_sidebar],
    ),
]

app = st.App(SCRIPT, lifespan=_lifespan, middleware=MIDDLEWARE)
