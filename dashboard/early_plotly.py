"""An ASGI middleware that tells browsers, with the HTML of a page, that it is going to need Plotly.

Otherwise a browser asks for Plotly, a quarter or a half of the bytes of a first visit, only when Streamlit has loaded,
connected and rendered the page. The start page has no plots, but its links lead to plots.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.components.plotly_bundle import PLOTLY
from dashboard.page_list import STAGES, START

_FILE = f"<app/static/{PLOTLY}>"  # relative to the page, as the addresses in Streamlit's HTML are
_NEEDED_NOW, _NEEDED_LATER = (f"{_FILE}; rel={kind}; as=script" for kind in ("preload", "prefetch"))
_LINKS = {"": _NEEDED_LATER, START.name: _NEEDED_LATER, **dict.fromkeys((stage.name for stage in STAGES), _NEEDED_NOW)}


class EarlyPlotly:
    """The middleware. It adds a header to the HTML of the start page and of all stages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        link = _LINKS.get(scope["path"].rpartition("/")[2]) if scope["type"] == "http" else None
        if link is None:
            return await self._app(scope, receive, send)

        async def send_with_link(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("link", link)
            await send(message)

        await self._app(scope, receive, send_with_link)
