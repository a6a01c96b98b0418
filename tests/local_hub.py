"""A Hugging Face hub on this machine, with the part of its HTTP API that downloads by `huggingface_hub` need.

A server process uses it through HF_ENDPOINT, a test in this process through `LocalHub.use`.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from huggingface_hub import constants

from tests.servers import answering

COMMIT = "0123456789" * 4  # of the branch "main"

_REPOSITORY = r"(?P<name>[\w.-]+/[\w.-]+)"
_REVISION = r"(?P<revision>main|[0-9a-f]{40})"
_INFO = re.compile(rf"/api/models/{_REPOSITORY}/revision/{_REVISION}")
_FILE = re.compile(rf"/{_REPOSITORY}/resolve/{_REVISION}/(?P<file>[\w.-]+)")

Response = tuple[int, dict[str, str], bytes]  # status, headers, body


class LocalHub:
    """Repositories as folders, each with the same files at every revision.

    flowing     while it is cleared, the contents of files are held back
    downloaded  names of the files whose contents were requested
    """

    def __init__(self, repositories: dict[str, Path]) -> None:
        self.repositories = repositories
        self.flowing = threading.Event()
        self.flowing.set()
        self.downloaded: list[str] = []
        self.endpoint = ""

    @contextmanager
    def serving(self) -> Iterator["LocalHub"]:
        """Serve on a free port, at `endpoint`."""
        with answering(self._handler()) as self.endpoint:
            try:
                yield self
            finally:
                self.flowing.set()

    def use(self, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
        """Direct `huggingface_hub` in this process to this hub and to a cache of its own."""
        monkeypatch.setattr(constants, "ENDPOINT", self.endpoint)
        template = self.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)

    def respond(self, method: str, url: str) -> Response:
        """The response to a request for the description of a repository or for a file."""
        path = urlsplit(url).path
        route = _INFO.fullmatch(path) or _FILE.fullmatch(path)
        folder = self.repositories.get(route["name"]) if route else None
        if route is None or folder is None:
            return _not_found("RepoNotFound")
        commit = COMMIT if route["revision"] == "main" else route["revision"]
        if route.re is _INFO:
            return (
                200,
                {"Content-Type": "application/json"},
                json.dumps(_description(route["name"], commit, folder)).encode(),
            )
        file = folder / route["file"]
        if not file.is_file():
            return _not_found("EntryNotFound")
        content = file.read_bytes()
        if method == "GET":
            self.downloaded.append(file.name)
            self.flowing.wait(60)
        return 200, {"ETag": f'"{sha256(content).hexdigest()}"', "X-Repo-Commit": commit}, content

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = hub.respond(self.command, self.path)
                self.send_response(status)
                for name, value in headers.items() | {("Content-Length", str(len(body)))}:
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *arguments: object) -> None:
                """Print nothing."""

        return Handler


def _description(name: str, commit: str, folder: Path) -> dict[str, object]:
    files = [{"rfilename": file.name, "size": file.stat().st_size} for file in sorted(folder.iterdir())]
    return {"id": name, "sha": commit, "siblings": files}


def _as_json(description: dict[str, object]) -> Response:
    return 200, {"Content-Type": "application/json"}, json.dumps(description).encode()


def _not_found(code: str) -> Response:
    return 404, {"X-Error-Code": code, "X-Error-Message": "Not found"}, b""
