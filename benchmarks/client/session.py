"""A browser tab with the app: one websocket, one history."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo
from streamlit.proto.PageLink_pb2 import PageLink

from benchmarks.client import address, view
from benchmarks.client.actions import Actions
from benchmarks.client.connection import Connection
from benchmarks.client.frontend import App
from benchmarks.client.location import Location
from benchmarks.client.mounts import Mounted
from benchmarks.client.runs import ConnectionRuns

TIMEOUT = 120.0  # seconds for an answer; the first run of all compiles
QUIET = 0.3  # seconds without a new run after which a request without a run counts as dropped
_QUIET_MARKERS = 20  # at least, within that time
CONTEXT = ContextInfo(timezone="UTC", timezone_offset=0, locale="en-US", is_embedded=False, color_scheme="light")


@dataclass(frozen=True)
class _ComponentPage:
    location: Location
    trigger: Callable[[str, Any], None]


class ClientSession:
    """Open it with `with`. Actions wait for the answer; those of `send` do not read anything from the server."""

    # JavaScript of components, by name: a function that makes the hook of a document. The hook is called when a
    # component is mounted and when its data change, with what JavaScript can reach and the data.
    on_component: ClassVar[dict[str, Callable[[], address.ComponentHook]]] = {address.NAME: address.Address}
    connect: ClassVar[type[Connection]] = Connection

    def __init__(
        self,
        server: str,
        url: str = "/",
        *,
        timeout: float = TIMEOUT,
        context: ContextInfo = CONTEXT,
        source: str = "",
    ) -> None:
        """Open path and query of a server ("http://127.0.0.1:8501"); the timeout of each wait is in seconds.

        source  the address of this machine to connect from
        """
        self._server = server.rstrip("/")
        self._location = Location(url)
        self._timeout = timeout
        self._context = context
        self._source = source
        self._batching = False
        self.sent: list[ClientState] = []  # all rerun messages
        self.send = Actions(lambda: self.app, self._load)
        self._load()
        try:
            self.wait()
        except BaseException:
            self.close()
            raise

    # What the browser shows

    @property
    def url(self) -> str:
        """Path and query in the address bar."""
        return self._location.entry.url

    @property
    def page(self) -> str:
        """The URL path of the page that the frontend thinks it shows; "" without pages."""
        pages = [page.url_pathname for page in self.app.pages if page.page_script_hash == self.app.page_hash]
        return pages[0] if pages else ""

    @property
    def history(self) -> list[str]:
        """The URLs of all entries of the history; `history_index` says which one is shown."""
        return [entry.url for entry in self._location.entries]

    @property
    def history_index(self) -> int:
        """The index of the present entry."""
        return self._location.index

    @property
    def session_id(self) -> str:
        """The id of the session on the server."""
        return self.app.session.id if self.app.session else ""

    def widgets(self) -> dict[str, view.Widget]:
        """All widgets by key (else by label) with the values that the browser holds."""
        return view.widgets(self.app)

    def components(self, name: str) -> list[Any]:
        """The data of the components v2 with this name."""
        return view.components(self.app, name)

    def texts(self, kind: str) -> list[str]:
        """The texts of a kind, such as "title", "markdown", "caption" or "warning"."""
        return view.texts(self.app, kind)

    def page_links(self) -> list[PageLink]:
        """The links of `st.page_link`."""
        return view.page_links(self.app)

    @property
    def exceptions(self) -> list[str]:
        """The exceptions on screen."""
        return view.exceptions(self.app)

    # What a person does

    def set(self, key: str, value: Any) -> None:
        """See `Actions.set`."""
        self._act(self.send.set, key, value)

    def click(self, key: str) -> None:
        """See `Actions.click`."""
        self._act(self.send.click, key)

    def trigger(self, key: str, name: str, value: Any) -> None:
        """See `Actions.trigger`."""
        self._act(self.send.trigger, key, name, value)

    def set_state(self, key: str, name: str, value: Any) -> None:
        """See `Actions.set_state`."""
        self._act(self.send.set_state, key, name, value)

    def follow(self, target: str | PageLink) -> None:
        """See `Actions.follow`."""
        self._act(self.send.follow, target)

    def back(self) -> None:
        """The Back button."""
        self._act(self.send.back)

    def forward(self) -> None:
        """The Forward button."""
        self._act(self.send.forward)

    def rerun(self) -> None:
        """The key "r"."""
        self._act(self.send.rerun)

    def auto_rerun(self) -> None:
        """See `Actions.auto_rerun`."""
        self._act(self.send.auto_rerun)

    def open(self, url: str, wait: bool = True) -> None:
        """Type another path and query into the address bar: a new document and a new session."""
        self._location.open(url)
        self._load()
        if wait:
            self.wait()

    def reload(self) -> None:
        """Load the same address again: a new document and a new session."""
        self._act(self._load)

    def reconnect(self, keep_session: bool = False) -> None:
        """Lose the websocket and connect again, by default to a server that has forgotten the session.

        The frontend asks for a run only if one was under way or the last one was of a fragment. Otherwise the next
        action brings all widget states to the new session. A session that is kept is waited for first.
        """
        if keep_session:
            self.wait()
        self._connection.close()
        self.app.disconnected()
        self._connect(self.app.last_session_id if keep_session else None, self._runs.run_on_save and keep_session)
        self.wait()

    @contextmanager
    def batch(self, wait: bool = True) -> Iterator[None]:
        """One browser tick: the changes inside are sent in one message at the end, with the first fragment id."""
        self._batching = True
        try:
            with self.app.widget_states.batch():
                yield
        finally:
            self._batching = False
        if wait:
            self.wait()

    # Messages

    def wait(self) -> None:
        """Read until everything that was sent is answered. Raises TimeoutError."""
        deadline = time.monotonic() + self._timeout
        settled = False
        while not settled:
            while not self._runs.idle:
                self._read(deadline)
            settled = self._runs.certain or self._is_quiet(deadline)
        self._runs.settle()
        self.app.render()

    def receive(self, count: int) -> int:
        """Read this many messages and let the frontend render; fewer if all is answered. Returns how many were read."""
        deadline = time.monotonic() + self._timeout
        read = 0
        while read < count and not self._runs.idle:
            self._read(deadline)
            read += 1
        self.app.render()
        return read

    def close(self) -> None:
        """Close the tab."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _act(self, action: Callable[..., None], *arguments: Any) -> None:
        action(*arguments)
        if not self._batching:
            self.wait()

    def _load(self) -> None:
        """Load the document at the present address."""
        if hasattr(self, "_connection"):
            self._connection.close()
        self._hooks = {name: make() for name, make in self.on_component.items()}
        self.app = App(self._server, self._location, self._context, self._send, self._component_changed)
        self._connect(None, False)

    def _connect(self, session_id: str | None, run_on_save: bool) -> None:
        self._runs = ConnectionRuns(run_on_save)
        self._connection = self.connect(self._server, session_id, self._source)
        self.app.connected()

    def _send(self, message: BackMsg) -> None:
        self.sent.append(message.rerun_script)
        self._connection.send([message, self._runs.marker()])
        self._runs.requested(message.rerun_script.fragment_id)

    def _read(self, deadline: float) -> None:
        payload = self._connection.receive(deadline)
        if payload is None:
            raise TimeoutError(f"no answer after {self._timeout} s: {self._runs}")
        self._runs.observe(self.app.handle(payload))

    def _is_quiet(self, deadline: float) -> bool:
        """Whether no other run begins for a while, in which the server goes on answering markers.

        The thread that runs scripts may start late on a busy machine, so the time counts. Where the whole machine
        stands still, the time passes without a chance for that thread, so the number of markers counts, too.
        """
        runs, end, markers = self._runs.count, time.monotonic() + QUIET, 0
        while time.monotonic() < end or markers < _QUIET_MARKERS:
            markers += 1
            self._connection.send([self._runs.marker()])
            while not self._runs.idle:
                self._read(deadline)
            if self._runs.count > runs:
                return False
            time.sleep(QUIET / _QUIET_MARKERS)
        return True

    def _component_changed(self, component: Mounted, data: Any) -> None:
        for name, hook in self._hooks.items():
            if view.is_named(component.proto.component_name, name):
                with self.app.widget_states.batch():
                    page = _ComponentPage(
                        self._location, lambda event, value: self.send.trigger_mounted(component, event, value)
                    )
                    hook(page, data)
