"""A Streamlit server of its own for a test: of the app, or of a small script."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
APP = ROOT / "streamlit_app.py"


@contextmanager
def running(script: Path, log: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve a script on a free port, with more in its environment if given; what it says goes into the file."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "runner.magicEnabled": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script), *(f"--{name}={x}" for name, x in options.items())]
    with (
        log.open("w") as out,
        subprocess.Popen(
            command, cwd=script.parent, stdout=out, stderr=out, env={**os.environ, **(environment or {})}
        ) as process,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, process, log)
            yield url
        finally:
            process.terminate()


def _wait_until_healthy(url: str, process: subprocess.Popen, log: Path) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.1)  # nobody listens yet: there is nothing to wait on
        else:
            return
    raise RuntimeError(f"no server: {log.read_text()}")
