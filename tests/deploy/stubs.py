"""nginx with the real configuration, in front of small servers that say which of them answered."""

import http.client
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchmarks.serving import free_port
from deploy.rendering import Service, find_nginx

SCRIPT = b"const number = 1234567890;\n" * 4000
HASHED = "/app/static/plot-0123456789ab.js"


class Stub(ThreadingHTTPServer):
    """A process of the app.

    requests  path and headers of all requests
    media     whether it has the download /media/file.csv
    """

    daemon_threads = True
    request_queue_size = 500

    def __init__(self, port: int = 0, media: bool = False) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.media = media
        self.requests: list[tuple[str, http.client.HTTPMessage]] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def port(self) -> int:
        return self.server_address[1]

    def stop(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers))
        if self.headers["Upgrade"]:
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.end_headers()
            self.wfile.flush()
            self.rfile.read()  # until it is closed
        elif self.path.startswith("/media/") and not self.server.media:
            self._answer(404, "text/plain", b"not here")
        elif self.path.endswith(".js"):
            self._answer(200, "application/javascript", SCRIPT)
        else:
            self._answer(200, "text/html", str(self.server.port).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.path.startswith("/static/"):
            self.send_header("Cache-Control", "public, immutable, max-age=31536000")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Answer:
    """An answer of nginx."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.cookie = (self.headers["Set-Cookie"] or "").partition(";")[0]

    @property
    def port(self) -> int:
        """The port of the stub that answered."""
        return int(self.body)


class Proxy:
    """nginx on a port. Clients are distinguished by their address: 127.0.0.1, 127.0.0.2, ..."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str = "/", cookie: str = "", source: str = "127.0.0.1", **headers: str) -> Answer:
        connection = self.request(path, cookie, source, **headers)
        try:
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def request(
        self, path: str, cookie: str = "", source: str = "127.0.0.1", **headers: str
    ) -> http.client.HTTPConnection:
        """Send a request whose answer may come later."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=(source, 0))
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", path, headers=fields | ({"Cookie": cookie} if cookie else {}))
        return connection

    def websocket(
        self, cookie: str = "", source: str = "127.0.0.1", path: str = "/_stcore/stream"
    ) -> tuple[int, http.client.HTTPConnection]:
        """Open a websocket, as far as its first answer; returns the status."""
        connection = self.request(path, cookie, source, Upgrade="websocket", Connection="Upgrade")
        assert connection.sock
        first_line = connection.sock.recv(4096).partition(b"\r\n")[0]
        return int(first_line.split()[1]), connection


@contextmanager
def proxy(stubs: list[Stub], trusted: tuple[str, ...] = ()) -> Iterator[Proxy]:
    """Run nginx in front of the stubs."""
    with tempfile.TemporaryDirectory() as name:  # a short path, as a socket needs it
        folder = Path(name)
        folder.chmod(0o711)
        service = Service(free_port(), tuple(stub.port for stub in stubs), folder, trusted)
        service.write()
        command = [find_nginx(), "-p", name, "-c", f"{name}/nginx.conf", "-e", "stderr"]
        nginx = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            there = Proxy(service.port)
            _wait_until_open(there, nginx)
            for stub in stubs:
                stub.requests.clear()
            yield there
        finally:
            nginx.terminate()
            nginx.wait(10)


def _wait_until_open(proxy: Proxy, nginx: subprocess.Popen) -> None:
    deadline = time.monotonic() + 10
    while nginx.poll() is None and time.monotonic() < deadline:
        try:
            proxy.get("/_stcore/metrics")
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("nginx did not start")
