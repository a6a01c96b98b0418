"""An ASGI middleware that tells browsers, with the HTML of a page, that it is going to need Plotly.

Otherwise a browser asks for Plotly, a quarter or a half of the bytes of a first visit, only when Streamlit has loaded,
connected and rendered the page. The start page has no plots, but its links lead to plots.
"""

from collections.abc import Collection

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class EarlyPlotly:
    """The middleware. It adds a header to the HTML of some pages.

    file          Plotly's, in the folder of static files
    needed_now    names of the pages with plots
    needed_later  names of the pages whose links lead to plots; "" is the address of the app
    """

    def __init__(self, app: ASGIApp, file: str, needed_now: Collection[str], needed_later: Collection[str]) -> None:
        self._app = app
        # Relative to the page, as the addresses in Streamlit's HTML are.
        now, later = (f"<app/static/{file}>; rel={kind}; as=script" for kind in ("preload", "prefetch"))
        self._links = dict.fromkeys(needed_later, later) | dict.fromkeys(needed_now, now)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        link = self._links.get(scope["path"].rpartition("/")[2]) if scope["type"] == "http" else None
        if link is None:
            return await self._app(scope, receive, send)

        async def send_with_link(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("link", link)
            await send(message)

        await self._app(scope, receive, send_with_link)
