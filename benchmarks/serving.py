"""Start a Streamlit server and Chromium, for benchmarks and tests."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parent.parent
_PORTS = range(20_000, 32_000)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
# Playwright is a debugger, for which V8 would read all of Plotly again at each exception: 0.4 s that no visitor waits.
V8_FLAGS = ["--no-enable-lazy-source-positions"]


@contextmanager
def serving(
    arguments: list[str],
    folder: Path,
    out: int | TextIO = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, float]]:
    """Run Python with these arguments as a Streamlit server, or as `deploy.serve`, on a free port.

    It can import the project's modules.
    Yields its URL and the milliseconds until it answered. Its output goes to `out`. Raises RuntimeError if it ends or
    does not answer within a minute.
    """
    port = free_port()
    options = {
        "PYTHONPATH": str(ROOT),
        "PORT": str(port),  # of deploy/serve.py
        "STREAMLIT_SERVER_PORT": str(port),
        "STREAMLIT_SERVER_HEADLESS": "true",
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **options, **(environment or {})},
        stdout=out,
        stderr=out,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(url, process)
        yield url, (time.perf_counter() - start) * 1e3
    finally:
        process.terminate()
        process.wait(30)  # it ends what it compiles


def free_port() -> int:
    """A port of this machine on which nothing listens.

    It is below those that the system gives to connections: `deploy.serve` uses the ports after it a second later, and
    one that a connection has by then cannot be used.
    """
    while True:
        port = secrets.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def chromium(playwright: Playwright, *v8_flags: str) -> Browser:
    """Launch Chromium: the executable in CHROMIUM, else the system's, else Playwright's.

    v8_flags  more flags of V8
    """
    system = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    flags = [*FLAGS, f"--js-flags={' '.join([*V8_FLAGS, *v8_flags])}"]  # of two --js-flags, Chromium takes the last
    return playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM") or system, args=flags)


def _wait_until_healthy(url: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.02)  # the port is still closed, and nothing signals when it opens
        else:
            return
    raise RuntimeError(f"the server did not start: {process.args!r}")
