"""A Streamlit server of its own for a test: of the app, or of a small script."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
