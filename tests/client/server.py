"""A Streamlit server for one small script."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STARTED = "URL:"  # in the line that the server prints when it listens


@contextmanager
def running_script(script: Path, log: Path) -> Iterator[str]:
    """Serve a script on a free port; yields its URL. What the server says on stderr goes into the file."""
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
        log.open("w") as errors,
        subprocess.Popen(command, cwd=script.parent, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            if not any(STARTED in line for line in process.stdout):
                raise RuntimeError(f"no server: {log.read_text()}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            assert process.stdout is not None
            process.stdout.read()  # it says goodbye
