"""The same actions in Chromium, to compare its messages with those of the client."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Page, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.chromium import CALM, NEXT_FRAMES

TIMEOUT = 30_000  # milliseconds

# The page can drop its websocket, and can make the server forget the session when it connects again.
_SOCKETS = """
const Native = window.WebSocket;
window.WebSocket = class extends Native {
    constructor(url, protocols) {
        super(url, window.forget ? protocols.slice(0, 2) : protocols);
        window.socket = this;
    }
};
"""


class EndedRuns:
    """How many runs have ended, by what the server sends.

    A run that has asked for another one (`st.rerun`) and that other run are one. A run that is interrupted by a request
    of the browser has ended when the next one begins: the server does not say more about it (`runner.fastReruns`).
    """

    def __init__(self) -> None:
        self.count = 0
        self._open = False

    def observe(self, message: ForwardMsg) -> None:
        """Take notice of a message from the server."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.count += self._open
            self._open = True
        elif kind == "script_finished":
            self.count += self._open and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            self._open = False


class Tab:
    """A tab of Chromium that remembers the rerun messages it sends."""

    def __init__(self, browser: Browser, server: str, url: str, has_touch: bool = False) -> None:
        """Open a path and query of a server and wait until the app has run."""
        context = browser.new_context(timezone_id="UTC", locale="en-US", color_scheme="light", has_touch=has_touch)
        context.add_init_script(_SOCKETS)
        self.server = server
        self.sent: list[ClientState] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("websocket", self._connected)
        self._runs = EndedRuns()
        self.page.goto(server + url)
        self.settle(1)

    @property
    def url(self) -> str:
        """Path and query in the address bar."""
        return self.page.url.removeprefix(self.server)

    @property
    def history_length(self) -> int:
        """How many entries the history has, without the empty page that a new tab shows."""
        return self.page.evaluate("history.length") - 1

    @property
    def captions(self) -> list[str]:
        """The texts of `st.caption`."""
        return self.page.locator("[data-testid=stCaptionContainer]").all_text_contents()

    def act(self, action: Callable[[Page], Any], runs: int = 1) -> None:
        """Do something that makes the server finish this number of runs, and wait for them."""
        before = self._runs.count
        action(self.page)
        self.settle(before + runs)

    def settle(self, runs: int) -> None:
        """Wait until so many runs have ended since the tab was opened, and until what they brought is on screen."""
        deadline = time.monotonic() + TIMEOUT / 1000
        while self._runs.count < runs:
            assert time.monotonic() < deadline, f"{self._runs.count} of {runs} runs have ended"
            self.page.wait_for_timeout(20)  # Playwright hands over the frames meanwhile
        self.page.wait_for_function(CALM)
        self.page.wait_for_function(NEXT_FRAMES)

    def close(self) -> None:
        """Close the tab."""
        self.page.context.close()

    def _connected(self, socket: WebSocket) -> None:
        socket.on("framesent", self._frame_sent)
        socket.on("framereceived", self._frame_received)

    def _frame_sent(self, payload: bytes | str) -> None:
        message = BackMsg.FromString(payload) if isinstance(payload, bytes) else BackMsg()
        if message.HasField("rerun_script"):
            self.sent.append(message.rerun_script)

    def _frame_received(self, payload: bytes | str) -> None:
        if isinstance(payload, bytes):
            self._runs.observe(ForwardMsg.FromString(payload))
