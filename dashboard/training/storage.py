"""The runs of a server, within limits of memory."""

from collections.abc import Callable, Iterator

from dashboard.training.stored_run import StoredRun

MAX_PER_OWNER = 6  # runs that one session has started
MAX_RUNS = 300


class RunStorage:
    """Runs by id. Beyond its limits, the oldest runs that are not being trained go: first those nobody looks at.

    max_bytes  of all runs together; those being trained can exceed it
    is_open    whether a session is open
    """

    def __init__(self, max_bytes: int, is_open: Callable[[str], bool]) -> None:
        self._max_bytes = max_bytes
        self._is_open = is_open
        self._runs: dict[str, StoredRun] = {}

    def __iter__(self) -> Iterator[StoredRun]:
        """All runs in the order of their creation."""
        return iter(list(self._runs.values()))

    def get(self, run: str) -> StoredRun | None:
        """The run with this id."""
        return self._runs.get(run)

    def add(self, run: StoredRun) -> None:
        """Add a run. Of more than MAX_PER_OWNER of its owner, the oldest go."""
        self._runs[run.id] = run
        runs_of_owner = [other for other in self if other.owner == run.owner]
        for other in runs_of_owner[: max(0, len(runs_of_owner) - MAX_PER_OWNER)]:
            if not other.is_open:
                del self._runs[other.id]

    def make_room(self) -> None:
        """Remove runs until the limits hold."""
        sizes = {run.id: run.num_bytes for run in self}
        candidates = sorted((run for run in self if not run.is_open), key=lambda run: (self.is_seen(run), run.number))
        for run in candidates:
            if sum(sizes.values()) <= self._max_bytes and len(sizes) <= MAX_RUNS:
                return
            del sizes[run.id]
            del self._runs[run.id]

    def is_seen(self, run: StoredRun, without: str = "") -> bool:
        """Whether a session that has looked at the run is open, another one than `without`."""
        return any(self._is_open(session) for session in list(run.viewers) if session != without)

    def update_viewers(self, run: StoredRun, now: float, patience: float) -> bool:
        """Forget the sessions that have been closed for longer than `patience` seconds; whether one is open."""
        is_seen = False
        for session, last_open in list(run.viewers.items()):
            if self._is_open(session):
                run.viewers[session], is_seen = now, True
            elif now - last_open > patience:
                run.viewers.pop(session, None)
        return is_seen
