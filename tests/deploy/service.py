"""The walkthrough as `make serve` runs it, and its processes."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.processes import descendants
from benchmarks.serving import serving
from tests.servers import ROOT


class Running:
    """A service that answers at `url`."""

    def __init__(self, url: str, log: Path) -> None:
        self.url = url
        self.log = log

    def apps(self) -> dict[int, int]:
        """Port -> process id, of the Streamlit processes that are alive."""
        pids = [pid for pid in descendants() if b"dashboard/server.py" in _read(pid, "cmdline")]
        public = self.url.rpartition(":")[2]  # the tests of other files have servers of their own
        ours = [pid for pid in pids if _variable(pid, "STREAMLIT_BROWSER_SERVER_PORT") == public]
        return {int(port): pid for pid in ours if (port := _variable(pid, "STREAMLIT_SERVER_PORT"))}

    def kill(self, port: int) -> None:
        """Kill the process on this port, without a chance to say goodbye."""
        os.kill(self.apps()[port], signal.SIGKILL)

    def port_of(self, affinity: str) -> int:
        """The port of the process that answers a visitor with this cookie."""
        request = urllib.request.Request(self.url, headers={"Cookie": f"affinity={affinity}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.headers["X-Process"].rpartition(":")[2])


@contextmanager
def service(processes: int, log: Path) -> Iterator[Running]:
    """Start nginx and so many Streamlit processes."""
    arguments = ["-m", "deploy.serve", "--processes", str(processes)]
    with log.open("a") as out, serving(arguments, ROOT, out) as (url, _):
        running = Running(url, log)
        deadline = time.monotonic() + 60
        while not all(_answers(port) for port in running.apps()) or len(running.apps()) < processes:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield running
    assert "Traceback" not in log.read_text(), log.read_text()


def _variable(pid: int, name: str) -> str | None:
    """The value of an environment variable with which a process was started, or None."""
    start = f"{name}=".encode()
    lines = _read(pid, "environ").split(b"\0")
    return next((line.removeprefix(start).decode() for line in lines if line.startswith(start)), None)


def _read(pid: int, name: str) -> bytes:
    """The content of a file of the process in /proc, b"" if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).close()
    except OSError:
        return False
    return True
