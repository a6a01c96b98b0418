"""Servers for tests: of the app, of a small Streamlit script, and of answers that a test gives itself."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.serving import serving

ROOT = Path(__file__).parents[1]
APP = ROOT / "streamlit_app.py"
SERVER = ROOT / "tests" / "server_without_gate.py"

_OPTIONS = {
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
    "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "STREAMLIT_RUNNER_MAGIC_ENABLED": "false",
}


@contextmanager
def running(script: Path, log: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Serve a script, with more in its environment if given; yields its URL. What it says goes into the file."""
    arguments = ["-m", "streamlit", "run", str(script)]
    folder = ROOT if script.is_relative_to(ROOT) else script.parent
    with log.open("w") as out, serving(arguments, folder, out, _OPTIONS | dict(environment or {})) as (url, _):
        yield url


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Answer requests in threads of this process; yields the URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
