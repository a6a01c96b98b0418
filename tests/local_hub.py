"""A Hugging Face hub on this machine: enough of its HTTP for `huggingface_hub` to list a repository and to read files.

The product talks to it as to the real one, through HF_ENDPOINT.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class LocalHub:
    """Repositories as folders; `pause` holds the contents of files back until it is cleared."""

    def __init__(self, repositories: dict[str, Path]) -> None:
        self.repositories = repositories
        self.flowing = threading.Event()
        self.flowing.set()
        self.endpoint = ""

    @contextmanager
    def serving(self) -> Iterator["LocalHub"]:
        """The hub, on a free port."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            self.flowing.set()
            server.shutdown()
            server.server_close()

    def answer(self, path: str, asked: str | None) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for a path and the bytes asked for."""
        route = re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)(/tree/main|/revision/main)?/?(?:\?.*)?", path)
        if route and route[1] in self.repositories:
            return _as_json(self._listing(route[1]) if "tree" in (route[2] or "") else {"id": route[1], "sha": "0"})
        route = re.fullmatch(r"/([\w.-]+/[\w.-]+)/resolve/main/([\w.-]+)(?:\?.*)?", path)
        if route and route[1] in self.repositories:
            self.flowing.wait(60)
            return _part((self.repositories[route[1]] / route[2]).read_bytes(), asked)
        return 404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}, b""

    def _listing(self, name: str) -> list[dict[str, object]]:
        files = sorted(self.repositories[name].iterdir())
        return [{"type": "file", "path": f.name, "size": f.stat().st_size, "oid": "0" * 40} for f in files]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = hub.answer(self.path, self.headers.get("Range"))
                self.send_response(status)
                for name, value in headers.items() | {("Content-Length", str(len(body)))}:
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *arguments: object) -> None:
                """Nothing."""

        return Handler


def _as_json(found: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json"}, json.dumps(found).encode()


def _part(content: bytes, asked: str | None) -> tuple[int, dict[str, str], bytes]:
    if not asked:
        return 200, {"ETag": '"0"'}, content
    first, last = asked.removeprefix("bytes=").split("-")
    part = content[int(first) : int(last) + 1 if last else None]
    return 206, {"Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}", "ETag": '"0"'}, part
