"""The frontend's `App`: its state, what it does with messages from the server, and the rerun messages that it sends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from benchmarks.client.cleanup import clear_stale, clear_transient, keep_main_script
from benchmarks.client.location import Location
from benchmarks.client.message_cache import MessageCache
from benchmarks.client.mounts import Mounted, Mounts
from benchmarks.client.nodes import ElementNode, active_ids, empty_root, walk, widget_id
from benchmarks.client.tree import apply_delta
from benchmarks.client.url_binding import Bindings
from benchmarks.client.widget_states import WidgetStateManager

EARLY = ForwardMsg.FINISHED_EARLY_FOR_RERUN
REMOVES_STALE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class SessionInfo:
    """What the first `new_session` of a connection says."""

    id: str
    max_cached_message_age: int
    connected: bool = True


class App:
    """One document in the browser: it begins when a page is loaded and ends when another one is."""

    def __init__(
        self,
        server: str,
        location: Location,
        context: ContextInfo,
        send: Callable[[BackMsg], None],
        component_changed: Callable[[Mounted, Any], None],
    ) -> None:
        self.server = server
        self.location = location
        self.context = context
        self._send = send
        self.cache = MessageCache()
        self.bindings = Bindings()
        self.widget_states = WidgetStateManager(self._send_rerun_of_widgets)
        self.mounts = Mounts(self.widget_states, self.bindings, component_changed)
        self.root = empty_root()
        self.query_params = location.query  # App.state.queryParams, which need not be what location.search says
        self.page_hash = self.main_hash = self.script_run = ""
        self.pages: list[Any] = []  # AppPage
        self.session: SessionInfo | None = None
        self.last_session_id: str | None = None
        self.running = False
        self.page_not_found = ""
        self.auto_reruns: dict[str, float] = {}  # seconds by fragment id
        self._app_name: str | None = None
        self._fragments: tuple[str, ...] = ()
        self._received_new_session = False
        self._epoch = 0
        self._history_epoch: int | None = None
        self._dirty = False  # the tree has changed since it was rendered

    # From the server

    def handle(self, payload: bytes) -> ForwardMsg:
        """Handle a message from the server, and return it."""
        message = self.cache.decode(payload)
        kind = message.WhichOneof("type")
        if kind == "delta":
            self.root = apply_delta(self.root, self.script_run, message.delta, message.metadata, message.hash)
            self._dirty = True
            return message
        self.render()
        handler = getattr(self, f"_on_{kind}", None)
        if handler is not None:
            handler(message)
        self.render()
        return message

    def render(self) -> None:
        """Let React render what has changed. What the effects of one rendering change is sent when all have run."""
        if self._dirty:
            self._dirty = False
            with self.widget_states.batch():
                self.mounts.update(self.root)

    def _on_new_session(self, message: ForwardMsg) -> None:
        new, run = message.new_session, message.metadata.run
        self._received_new_session = True
        if self._history_epoch != self._epoch:
            self._history_epoch = None
        if self.session is None or not self.session.connected:
            self._initialize(new)
        page_before, name = self.page_hash, new.initialize.user_info.installation_id + new.main_script_path
        self._fragments = tuple(run.fragment_ids)
        if not self._fragments:
            self.auto_reruns.clear()
            self.main_hash, self.page_hash = new.main_script_hash, new.page_script_hash
        if self._app_name == name and page_before == new.page_script_hash:
            self.root = clear_transient(self.root, self._fragments)
        else:
            self._app_name = name
            self.root = keep_main_script(self.root, new.main_script_hash)
            self._remove_inactive_widgets()
        self.script_run, self._dirty = run.script_run_id, True

    def _initialize(self, new: NewSession) -> None:
        self.last_session_id = self.session.id if self.session else None
        self.session = SessionInfo(new.initialize.session_id, new.config.max_cached_message_age)
        self.running = new.initialize.session_status.script_is_running

    def _on_navigation(self, message: ForwardMsg) -> None:
        self.pages = list(message.navigation.app_pages)
        self.page_hash = message.navigation.page_script_hash
        page = next(x for x in self.pages if x.page_script_hash == self.page_hash)
        if (self._page_path() or self._main_page().url_pathname) != page.url_pathname:
            path = "" if page.is_default else page.url_pathname
            self.location.push(f"/{path}" + (f"?{self.query_params}" if self.query_params else ""))

    def _on_page_info_changed(self, message: ForwardMsg) -> None:
        query = message.page_info_changed.query_string
        if query != self.location.query:
            write = self.location.push if self._history_epoch is None else self.location.replace
            write(self.location.path + (f"?{query}" if query else ""))
        self.query_params = query

    def _on_page_not_found(self, message: ForwardMsg) -> None:
        self.page_not_found = message.page_not_found.page_name
        self.page_hash = self.main_hash

    def _on_session_status_changed(self, message: ForwardMsg) -> None:
        self.running = message.session_status_changed.script_is_running

    def _on_auto_rerun(self, message: ForwardMsg) -> None:
        if message.auto_rerun.fragment_id:
            self.auto_reruns[message.auto_rerun.fragment_id] = message.auto_rerun.interval

    def _on_stop_auto_rerun(self, message: ForwardMsg) -> None:
        for fragment in message.stop_auto_rerun.fragment_ids:
            self.auto_reruns.pop(fragment, None)

    def _on_script_finished(self, message: ForwardMsg) -> None:
        status, run = message.script_finished, message.metadata.run
        fragments = tuple(run.fragment_ids)
        if self._received_new_session and status != EARLY:
            self._history_epoch = None
        if status in REMOVES_STALE and run.script_run_id:
            if fragments or self.script_run == run.script_run_id:
                self.root = clear_stale(self.root, run.script_run_id, fragments)
                self._dirty = True
            self._remove_inactive_widgets()
        if status in REMOVES_STALE and run.script_run_id and self.session and self._received_new_session:
            self.cache.run_finished(self.session.max_cached_message_age, fragments)

    def _remove_inactive_widgets(self) -> None:
        self.widget_states.remove_inactive(active_ids(self.root))

    # To the server

    def connected(self) -> None:
        """The websocket is open: ask for a run, when it is the first or one may have been lost."""
        if self.last_session_id is None or self.running or self._fragments or self.auto_reruns:
            self.widget_states.send_all()

    def disconnected(self) -> None:
        """The websocket is closed."""
        if self.session is not None:
            self.session.connected = False
            self.last_session_id = self.session.id

    def rerun(self) -> None:
        """The key "r"; does nothing during a run."""
        if not self.running:
            self.widget_states.send_all()

    def auto_rerun(self, fragment: str) -> None:
        """The interval of a fragment with `run_every` has passed."""
        self._send_rerun(self.widget_states.all(), fragment=fragment, auto=True)

    def change_page(self, page_hash: str, query: str | None = None, history: bool = False) -> None:
        """`onPageChange`: a link to a page, or (history) the address has changed by Back or Forward."""
        self.auto_reruns.clear()
        main = keep_main_script(self.root, self.main_hash)
        elements = [node.element for node in walk(main) if isinstance(node, ElementNode)]
        active = {identity for element in elements if (identity := widget_id(element))}
        self._send_rerun(self.widget_states.among(active), page_hash=page_hash, query=query, history=history)

    def history_changed(self) -> None:
        """`popstate`."""
        page = next((x for x in self.pages if unquote(self.location.path).endswith(f"/{x.url_pathname}")), None)
        page = page or (self._main_page() if self.pages else None)
        page_hash = page.page_script_hash if page else self.page_hash
        if page_hash:
            self.query_params = self.location.query
            self.change_page(page_hash, self.location.query, history=True)

    def _send_rerun_of_widgets(self, states: WidgetStates, fragment: str) -> None:
        self._send_rerun(states, fragment=fragment)

    def _send_rerun(
        self,
        states: WidgetStates,
        fragment: str = "",
        page_hash: str = "",
        query: str | None = None,
        history: bool = False,
        auto: bool = False,
    ) -> None:
        sent_query = (self.query_params or self.location.query) if query is None else query
        page_name = ""
        if page_hash:
            if page_hash != self.page_hash and not history:
                kept, own = self.bindings.keep_for_page_change(self.location), (query or "").removeprefix("?")
                sent_query = self.query_params = "&".join(part for part in (kept, own) if part)
        elif self.page_hash:
            page_hash = self.page_hash
        else:
            page_name = self._page_path()
        self._epoch += 1
        repeated = auto and not self._received_new_session and self._history_epoch == self._epoch - 1
        if history or repeated:
            self._history_epoch = self._epoch
        state = ClientState(
            query_string=sent_query,
            widget_states=states,
            page_script_hash=page_hash,
            page_name=page_name,
            fragment_id=fragment,
            is_auto_rerun=auto,
            is_history_navigation=history,
            cached_message_hashes=self.cache.hashes,
            context_info=self.context,
        )
        state.context_info.url = self.server + self.location.path
        self._send(BackMsg(rerun_script=state))
        self._received_new_session = False

    def _page_path(self) -> str:
        return unquote(self.location.path).strip("/")

    def _main_page(self) -> Any:
        return next(page for page in self.pages if page.is_default)
