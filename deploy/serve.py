"""Serve the walkthrough on one machine: nginx in front of several Streamlit processes.

    python -m deploy.serve --processes 2

Environment variables:

PORT                            where nginx listens, 8501 by default
PROCESSES                       how many Streamlit processes run, 2 by default; they listen on free ports after PORT
TRUSTED_PROXIES                 networks of proxies in front of this machine, such as "127.0.0.1/32" for one that adds
                                HTTPS, separated by commas; the limits per address then count its visitors
STREAMLIT_SERVER_COOKIE_SECRET  what cookies are signed with; without it, a new one is drawn at each start

supervisord (http://supervisord.org) keeps the processes running. It is written in Python, needs no rights and no other
package. honcho stops everything when one process ends, and circus needs ZeroMQ and Tornado.
"""

import argparse
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from types import FrameType

from deploy.rendering import ROOT, Service, trusted_proxies

_SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"
_ALL_ADDRESSES = "0.0.0.0"


def main() -> int:
    """Run until a signal ends it. Returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve the walkthrough by several processes behind nginx.")
    parser.add_argument("--port", type=int, default=os.environ.get("PORT") or "8501", help="where nginx listens")
    parser.add_argument("--processes", type=int, default=os.environ.get("PROCESSES") or "2", help="Streamlit processes")
    options = parser.parse_args()
    if options.processes < 1:
        parser.error("at least one process is needed")
    if not 1 <= options.port <= 65_535:
        parser.error(f"there is no port {options.port}: allowed are 1 to 65535")
    with tempfile.TemporaryDirectory(prefix="encoder-walkthrough-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # nginx's workers may be another user, who must reach the socket
        try:
            if not _is_free(options.port):
                raise ValueError(f"port {options.port} cannot be used: another program has it, or it needs more rights")
            app_ports = _app_ports(options.port, options.processes)
            service = Service(options.port, app_ports, folder, trusted_proxies(os.environ))
            service.write()
        except (ValueError, OSError) as error:
            parser.error(str(error))
        return _run(service)


def _run(service: Service) -> int:
    """Run supervisord until a signal ends it, or nobody reads its messages any more. Returns its exit code."""
    supervisord: subprocess.Popen[bytes] | None = None
    is_ending = False

    def end(number: int, frame: FrameType | None) -> None:
        nonlocal is_ending
        is_ending = True
        if supervisord:
            supervisord.terminate()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    print(f"The walkthrough starts at http://localhost:{service.port}", flush=True)
    supervisord = subprocess.Popen(
        [sys.executable, "-m", "supervisor.supervisord", "-c", str(service.folder / "supervisord.conf")],
        cwd=ROOT,
        env=_app_environment(os.environ, service),
        start_new_session=True,  # Ctrl-C reaches this process only, which passes it on
        stdout=subprocess.PIPE,  # the processes open it by name, which is impossible for a socket of systemd
    )
    if is_ending:  # while it started
        supervisord.terminate()
    assert supervisord.stdout
    for line in supervisord.stdout:
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # `make serve | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            supervisord.terminate()
    return supervisord.wait()


def _app_environment(environment: Mapping[str, str], service: Service) -> dict[str, str]:
    """The environment of the Streamlit processes; supervisord adds to each its port."""
    return {
        # A process that is started again finds its programs compiled: it is warm after 3 s in place of 13 s.
        "JAX_COMPILATION_CACHE_DIR": str(service.folder / "programs"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        **environment,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        _SECRET: environment.get(_SECRET) or secrets.token_hex(32),
        "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
        "STREAMLIT_SERVER_HEADLESS": "true",
        "STREAMLIT_BROWSER_SERVER_ADDRESS": "localhost",
        "STREAMLIT_BROWSER_SERVER_PORT": str(service.port),
    }


def _app_ports(port: int, count: int) -> tuple[int, ...]:
    """The first free ports after `port` that need no rights."""
    candidates = range(max(port, 1024) + 1, 65_536)
    return tuple(islice(filter(_is_free, candidates), count))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an earlier start may linger
        try:
            probe.bind((_ALL_ADDRESSES, port))
        except OSError:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
