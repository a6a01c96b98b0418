"""An ASGI middleware that serves the channels."""

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from dashboard.serving.early_figures.channels import CHANNELS
from dashboard.serving.early_figures.socket import serve

_PATH = "/early_figures/"  # before the token; dashboard/components/plot/drawing/early.js has it, too


class EarlyFigures:
    """The middleware, outside of that which limits Streamlit's websockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        CHANNELS.is_served = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        _, is_channel, token = scope["path"].rpartition(_PATH) if scope["type"] == "websocket" else ("", "", "")
        if is_channel:
            await serve(WebSocket(scope, receive, send), CHANNELS.with_token(token))
        else:
            await self._app(scope, receive, send)
