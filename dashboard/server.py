"""The app with its warm-up at server start, so that not even the first visitor waits: what `make run` starts.

    PYTHONPATH=. streamlit run dashboard/server.py

`streamlit run streamlit_app.py` works as well; it warms up while the first visitor's page is drawn.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st

from dashboard.models import warm_up


@asynccontextmanager
async def _lifespan(app: st.App) -> AsyncIterator[None]:
    warm_up.start()
    yield


app = st.App(Path(__file__).parent.parent / "streamlit_app.py", lifespan=_lifespan)
