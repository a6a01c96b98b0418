"""A trained encoder on its way into memory: opened, or downloaded, once for all sessions, while they go on."""

import threading
import time
from typing import NamedTuple

from dashboard.state.offered_encoders import MAX_BYTES, OFFERED
from encoder_core import Encoder
from encoder_core.pretrained import PretrainedError, on_this_machine

_OPENING = 30.0  # seconds that a page waits for an encoder that is on this machine
_PRESENT = 5.0  # seconds after which a session that asks no more is taken to have left


class Progress(NamedTuple):
    """Bytes received, and bytes in all; 0 of 0 until the hub has answered."""

    received: int
    total: int


class _Cancelled(Exception):
    pass


class Loading:
    """One trained encoder. `encoder` is None until it is here, `problem` a sentence where it cannot be had."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.encoder: Encoder | None = None
        self.problem = ""
        self.progress = Progress(0, 0)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._settled = threading.Event()  # it is here, or cannot be had, or is being downloaded
        self._unwanted = threading.Event()
        self._asked: dict[str, float] = {}

    def start(self) -> None:
        """Begin, unless it has begun; begin again where it failed."""
        with self._lock:
            self._unwanted.clear()
            if self.encoder or (self._thread and self._thread.is_alive()):
                return
            self.problem, self.progress = "", Progress(0, 0)
            self._settled.clear()
            self._thread = threading.Thread(target=self._load, name=f"load {self.name}", daemon=True)
            self._thread.start()

    def wait(self) -> Encoder | None:
        """The encoder, where it is on this machine; else None at once."""
        self._settled.wait(_OPENING)
        return self.encoder

    def finish(self) -> None:
        """Wait until all its programs are compiled, too, or it cannot be had."""
        if self._thread:
            self._thread.join()

    def watch(self, session: str) -> None:
        """This session waits for the download, which goes on, or begins again where somebody else has just ended it."""
        self._asked[session] = time.monotonic()
        if not self.problem:
            self.start()

    def leave(self, session: str) -> None:
        """This session waits no longer: the download ends, unless somebody else waits for it."""
        self._asked.pop(session, None)
        now = time.monotonic()
        if not any(now - asked < _PRESENT for asked in list(self._asked.values())):
            self._unwanted.set()

    def _load(self) -> None:
        if not on_this_machine(self.name):
            self._settled.set()
        try:
            encoder = Encoder.pretrained(
                self.name, allowed=OFFERED.values(), max_bytes=MAX_BYTES, progress=self._received
            )
            encoder.trace("a")  # compiles the program of short texts, which most are
            self.encoder = encoder
            self._settled.set()
            encoder.warm_up()
        except PretrainedError as error:
            self.problem = str(error)
        except _Cancelled:
            self.progress = Progress(0, 0)
        finally:
            self._settled.set()

    def _received(self, received: int, total: int) -> None:
        if self._unwanted.is_set():
            raise _Cancelled
        self.progress = Progress(received, total)


_LOADINGS = {name: Loading(name) for name in OFFERED.values()}


def loading(name: str) -> Loading:
    """The one of this name."""
    return _LOADINGS[name]


def encoder_named(name: str) -> Encoder | None:
    """The trained encoder of this name; None while it is being downloaded, and where it cannot be had."""
    found = loading(name)
    if not found.problem:
        found.start()
    return found.wait()
