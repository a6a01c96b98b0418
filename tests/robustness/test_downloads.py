"""A file that a button makes is there when its browser asks for it, whatever others do, and files are made in turn."""

import asyncio
import threading

import pytest
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime import media_file_manager
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from dashboard.serving.patches import downloads, patch_streamlit
from tests.robustness.coroutines import run


@pytest.fixture
def manager(monkeypatch):
    """The files of a server with one session."""
    patch_streamlit()
    downloads._kept.clear()
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "tab")
    return MediaFileManager(MemoryMediaFileStorage("/media"))


def deferred(manager, make, place="1.1"):
    return manager.add_deferred(make, "application/octet-stream", place, file_name="f.bin")


def name_of(url):
    return url.rpartition("/")[2].partition("?")[0]


def others_end_runs(manager):
    for _ in range(3):
        manager.remove_orphaned_files()


def test_a_file_survives_the_runs_of_others(manager):
    name = name_of(manager.execute_deferred(deferred(manager, lambda: b"content")))
    others_end_runs(manager)
    assert manager.read_file(name).content == b"content"


def test_a_file_is_removed_when_it_had_time_to_be_fetched(manager, monkeypatch):
    monkeypatch.setattr(downloads, "KEPT_SECONDS", -1.0)
    name = name_of(manager.execute_deferred(deferred(manager, lambda: b"content")))
    others_end_runs(manager)
    assert manager.read_file(name) is None


def test_of_many_files_the_latest_are_kept(manager, monkeypatch):
    monkeypatch.setattr(downloads, "KEPT_BYTES", 25)
    names = [
        name_of(manager.execute_deferred(deferred(manager, lambda n=n: bytes([n]) * 10, f"1.{n}"))) for n in range(4)
    ]
    others_end_runs(manager)
    kept = [file and len(file.content) for file in map(manager.read_file, names)]
    assert kept == [None, None, 10, 10]


def test_files_are_made_one_at_a_time_and_a_session_asks_for_a_few(manager):
    at_once, most = [], []
    lock = threading.Lock()

    def make():
        with lock:
            at_once.append(1)
            most.append(len(at_once))
        threading.Event().wait(0.01)
        with lock:
            at_once.pop()
        return b"content"

    handler, file_id = DeferredFileHandler(lambda: manager), deferred(manager, make)

    async def ask(session):
        request = BackendOperationRequest(request_id="1")
        request.deferred_file.file_id = file_id
        return await handler.handle(request, session)

    async def ask_all():
        return await asyncio.gather(*(ask(session) for session in ["greedy"] * 6 + ["other"]))

    *greedy, other = run(ask_all())
    assert [answer.error_msg for answer in greedy] == [""] * 4 + [
        "4 files are being made for you. Try again when they have arrived."
    ] * 2
    assert other.deferred_file.url
    assert most == [1] * 5
    assert not downloads._waiting
