"""Loads trained encoders in the background: once for all sessions, from this machine or from the Hugging Face hub."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import NamedTuple, TypeVar

from dashboard.serving.background import end_with_server, start_thread
from dashboard.state.offered_encoders import MAX_BYTES, OFFERED
from encoder_core import Encoder
from encoder_core.pretrained import PretrainedError, on_this_machine

_OPENING = 30.0  # seconds that a page waits for an encoder that is on this machine
_PRESENT = 5.0  # seconds without a call of `watch` after which a session counts as closed

Result = TypeVar("Result")


class DownloadProgress(NamedTuple):
    """Bytes received, and total bytes; 0 of 0 until the hub has answered."""

    received: int
    total: int


class _Cancelled(Exception):
    pass


class EncoderLoader:
    """Loads one trained encoder, and downloads it first if it is not on this machine.

    progress  of the download
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.progress = DownloadProgress(0, 0)
        self._lock = threading.Lock()
        self._loaded: Future[Encoder] | None = None
        self._compiled: Future[None] | None = None
        self._is_local = False
        self._cancelled = threading.Event()
        self._last_seen: dict[str, float] = {}  # session -> time of its last `watch`

    @property
    def encoder(self) -> Encoder | None:
        """The encoder, or None until it is loaded."""
        loaded = self._loaded
        return loaded.result() if loaded and loaded.done() and not loaded.exception() else None

    @property
    def problem(self) -> str:
        """A sentence if the encoder cannot be loaded, else ""."""
        loaded = self._loaded
        error = loaded.exception() if loaded and loaded.done() else None
        if error is None or isinstance(error, (_Cancelled, SystemExit)):
            return ""
        return str(error) if isinstance(error, PretrainedError) else f"It cannot be loaded ({type(error).__name__})."

    def start(self) -> None:
        """Start to load, unless the encoder is loaded or being loaded. After a failure, try again."""
        with self._lock:
            self._cancelled.clear()
            if self._loaded and (not self._loaded.done() or self.encoder):
                return
            self.progress = DownloadProgress(0, 0)
            self._is_local = on_this_machine(self.name)
            loaded = self._loaded = _run_in_background(self._load, f"load {self.name}")
            self._compiled = _run_in_background(
                lambda: loaded.result().warm_up(progress=end_with_server), f"compile {self.name}"
            )

    def wait(self) -> Encoder | None:
        """The encoder. If it is on this machine, wait until it is loaded, else return None at once."""
        if self._loaded and self._is_local:
            wait([self._loaded], _OPENING)
        return self.encoder

    def finish(self) -> None:
        """Wait until all programs of the encoder are compiled, or loading it has failed."""
        if self._compiled:
            wait([self._compiled])

    def watch(self, session: str) -> None:
        """Register that this session waits. Restarts a download that another session has just cancelled."""
        now = time.monotonic()
        present = {other: last_seen for other, last_seen in list(self._last_seen.items()) if last_seen > now - _PRESENT}
        self._last_seen = present | {session: now}
        if not self.problem:
            self.start()

    def leave(self, session: str) -> None:
        """Register that this session waits no longer. Cancels the download if no other session waits for it."""
        self._last_seen.pop(session, None)
        oldest = time.monotonic() - _PRESENT
        if not any(last_seen > oldest for last_seen in list(self._last_seen.values())):
            self._cancelled.set()

    def _load(self) -> Encoder:
        try:
            encoder = Encoder.pretrained(
                self.name, allowed=OFFERED.values(), max_bytes=MAX_BYTES, progress=self._report
            )
        except _Cancelled:
            self.progress = DownloadProgress(0, 0)
            raise
        encoder.trace("a")  # compiles the program of short texts, which most are
        return encoder

    def _report(self, received: int, total: int) -> None:
        end_with_server()
        if self._cancelled.is_set():
            raise _Cancelled
        self.progress = DownloadProgress(received, total)


def _run_in_background(work: Callable[[], Result], name: str) -> Future[Result]:
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
            if not isinstance(error, (PretrainedError, _Cancelled)):
                raise

    start_thread(run, name)
    return future


_LOADERS = {name: EncoderLoader(name) for name in OFFERED.values()}


def encoder_loader(name: str) -> EncoderLoader:
    """The loader of an offered encoder, shared by all sessions."""
    return _LOADERS[name]


def encoder_named(name: str) -> Encoder | None:
    """The trained encoder of this name, or None while it is being downloaded and after a failure."""
    loader = encoder_loader(name)
    if not loader.problem:
        loader.start()
    return loader.wait()
