"""Which of the messages that were sent have been answered.

Nothing in the protocol says which request a run answers. So every request is followed, in the same write, by a marker:
`set_run_on_save` with the other value than before. The server answers it with a status message that it never drops,
and handles it directly after the request. Whatever stands behind that status message in the stream comes from a run
that knew the request, because the server ignores all that the interrupted script runner still says
(`runner.fastReruns`). Requests for fragments are less clear: they wait for the run under way, several are merged into
one run, and the server drops those for a fragment that is gone. Then `certain` may be False, and the caller asks again
with more markers until the server has been quiet for a while.
"""

from dataclasses import dataclass

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


@dataclass
class _Run:
    """A run as its `new_session` announces it."""

    markers: int  # answered before it began
    fragments: tuple[str, ...]  # empty: the whole app
    finished: bool = False  # not early for a rerun


@dataclass(frozen=True)
class _Request:
    marker: int  # the number of the marker behind it
    fragment: str


class ConnectionRuns:
    """The requests and the runs of one connection."""

    def __init__(self, run_on_save: bool = False) -> None:
        self.run_on_save = run_on_save  # the last value in the stream
        self._sent = self._answered = 0
        self._next_value = not run_on_save
        self._requests: list[_Request] = []
        self._runs: list[_Run] = []
        self._another_follows = self._running = False

    def marker(self) -> BackMsg:
        """The next marker, to be sent directly behind a request."""
        message = BackMsg(set_run_on_save=self._next_value)
        self._next_value = not self._next_value
        self._sent += 1
        return message

    def requested(self, fragment: str) -> None:
        """A rerun has been requested, of a fragment or ("") of the app; its marker has been made."""
        self._requests.append(_Request(self._sent, fragment))

    def observe(self, message: ForwardMsg) -> None:
        """Take notice of a message from the server."""
        kind = message.WhichOneof("type")
        if kind == "session_status_changed":
            self._running = message.session_status_changed.script_is_running
            if message.session_status_changed.run_on_save != self.run_on_save:
                self.run_on_save = not self.run_on_save
                self._answered += 1
        elif kind == "new_session":
            self._runs.append(_Run(self._answered, tuple(message.metadata.run.fragment_ids)))
            self._another_follows, self._running = False, True
        elif kind == "script_finished":
            self._another_follows = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if self._runs and not self._another_follows:
                self._runs[-1].finished = True

    @property
    def idle(self) -> bool:
        """All markers are answered, no run is under way, and the last request for the whole app has had its run."""
        if self._answered < self._sent or self._another_follows or self._running:
            return False
        last = max((request.marker for request in self._requests if not request.fragment), default=0)
        return not last or any(run.markers >= last and run.finished and not run.fragments for run in self._runs)

    @property
    def certain(self) -> bool:
        """Every request for a fragment has had its own run, too.

        Of two requests for one fragment, the run of the first may be announced behind the marker of the second.
        """
        last = max((request.marker for request in self._requests if not request.fragment), default=0)
        open_requests = [request for request in self._requests if request.fragment and request.marker > last]
        if len({request.fragment for request in open_requests}) < len(open_requests):
            return False
        return all(
            any(run.markers >= request.marker and request.fragment in run.fragments for run in self._runs)
            for request in open_requests
        )

    @property
    def count(self) -> int:
        """How many runs have begun."""
        return len(self._runs)

    def settle(self) -> None:
        """Everything has been answered: forget the requests."""
        self._requests.clear()
        del self._runs[:-1]

    def __str__(self) -> str:
        markers = self._sent - self._answered
        return f"{markers} markers open, {len(self._requests)} requests, run under way: {self._running}"
