"""The channel of a session: the figures for its browser tab, and whether Streamlit's messages wait for them."""

import asyncio
import itertools
import json
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

HAND_OVER = 0.02  # seconds that a script waits at most until its figures have gone
HOLD = 0.25  # seconds that Streamlit's messages wait at most; a run alone on a server needs 0.03 to 0.1 for its figures


class Numbered(NamedTuple):
    """What Streamlit's message says of a figure: its number, and the figure unless the channel brings it."""

    channel: str
    revision: int
    figure: dict[str, Any] | None


class FigureBatch(NamedTuple):
    """What is to be sent next.

    figures  for the browser, as JSON
    is_last  whether the run has no more
    """

    figures: list[str]
    is_last: bool


class FigureConnection:
    """An open websocket of a tab. Scripts write to it, the server's event loop reads from it.

    sent  key of a plot -> hash and revision of the figure that was written last
    """

    def __init__(self) -> None:
        self.sent: dict[str, tuple[int, int]] = {}
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._figures: dict[str, str] = {}  # key of a plot -> its figure; an older one that still waits is not sent
        self._is_last = False
        self._is_open = True

    def send(self, key: str, figure: str) -> None:
        """Send a figure, as JSON, to the plot with this key."""
        self._call(lambda: self._figures.update({key: figure}))

    def end_run(self) -> None:
        """Say that the run has no more figures."""
        self._call(lambda: setattr(self, "_is_last", True))

    def close(self) -> None:
        """End the connection."""
        self._is_open = False
        self._call(lambda: None)

    async def next_batch(self) -> FigureBatch | None:
        """What was written since the last call, as soon as there is anything; None when the connection has ended."""
        await self._changed.wait()
        self._changed.clear()
        batch = FigureBatch(list(self._figures.values()), self._is_last)
        self._figures, self._is_last = {}, False
        return batch if self._is_open else None

    def _call(self, change: Callable[[], None]) -> None:
        def apply() -> None:
            change()
            self._changed.set()

        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(apply)


class Channel:
    """The channel of one session. Scripts call `send`, `end_run` and `disconnect`, the server's event loop the rest.

    token  the secret with which the tab connects
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(16)
        self._connection: FigureConnection | None = None
        self._revisions = itertools.count(1)
        self._released = asyncio.Event()
        self._released.set()
        self._deadline = 0.0  # until when Streamlit's messages wait
        self._gone = threading.Event()  # set unless a script may have to wait for its figures
        self._gone.set()

    def connect(self) -> FigureConnection:
        """The tab has opened a websocket. It takes the place of the one before."""
        self.disconnect()
        self._connection = FigureConnection()
        return self._connection

    def disconnect(self, connection: FigureConnection | None = None) -> None:
        """The tab has closed this connection; without one: it does not get what it is sent."""
        current = self._connection
        if current and connection in (None, current):
            self._connection = None
            current.close()

    def send(self, key: str, figure: dict[str, Any]) -> Numbered:
        """Send the figure of the plot with this key, unless the tab has it."""
        connection = self._connection
        if connection is None:
            return Numbered(self.token, next(self._revisions), figure)
        text = json.dumps(figure, separators=(",", ":"))
        content, revision = connection.sent.get(key, (None, 0))
        if content != hash(text):
            revision = next(self._revisions)
            connection.sent[key] = hash(text), revision
            self._gone.clear()
            connection.send(key, f'{{"key":{json.dumps(key)},"revision":{revision},"figure":{text}}}')
        return Numbered(self.token, revision, None)

    def end_run(self) -> None:
        """All figures of the run have been sent: let Streamlit's messages follow them.

        Waits until they have gone. A script that computed on would keep the event loop from sending them for about
        10 ms: Python changes threads every 5 ms at most.
        """
        if connection := self._connection:
            connection.end_run()
            self._gone.wait(HAND_OVER)
            self._gone.set()

    def hold(self) -> None:
        """A run has been asked for: let Streamlit's messages wait for its figures."""
        if self._connection:
            self._released.clear()
            self._deadline = asyncio.get_running_loop().time() + HOLD

    def release(self) -> None:
        """The figures of the run have gone."""
        self._released.set()
        self._gone.set()

    async def wait(self) -> None:
        """Wait until Streamlit's messages may go, but not for a figure that takes long."""
        if self._released.is_set():
            return
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._released.wait()
        except TimeoutError:
            self._released.set()
