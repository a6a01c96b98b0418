"""Downloads from a hub on this machine: allow-list, size limit, progress, cancelling, cache, no network."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from huggingface_hub import constants
from huggingface_hub.utils._runtime import is_xet_available

from encoder_core import Encoder
from encoder_core.pretrained import PretrainedError, find
from encoder_core.pretrained.find import KNOWN, KnownModel, on_this_machine
from encoder_core.pretrained.hub import FILES, cached_folder
from tests.core.pretrained.tiny import save_tiny
from tests.local_hub import COMMIT, LocalHub

NAME = "someone/tiny-bert"


@pytest.fixture
def folder(tmp_path):
    """The files of the repository on the hub."""
    return save_tiny(tmp_path / "model")


@pytest.fixture
def hub(folder, tmp_path, monkeypatch):
    """A hub with one repository, an empty cache, and blocks of 1000 bytes, so that a file has several."""
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    with LocalHub({NAME: folder}).serving() as hub:
        hub.use(monkeypatch, tmp_path / "cache")
        yield hub


def test_three_files_are_downloaded_once(hub, folder):
    calls = []
    encoder = Encoder.pretrained(NAME, progress=lambda received, total: calls.append((received, total)))
    assert hub.downloaded == ["config.json", "tokenizer.json", "model.safetensors"]
    size = sum((folder / name).stat().st_size for name in FILES)
    assert calls == sorted(calls)
    assert len(calls) > size / 1000
    assert calls[-1] == (size, size)
    again = Encoder.pretrained(NAME, offline=True)
    np.testing.assert_array_equal(again.trace("the cat").output, encoder.trace("the cat").output)
    assert len(hub.downloaded) == 3


def test_a_cancelled_download_leaves_complete_files_only_and_can_be_resumed(hub, folder, tmp_path):
    class Cancelled(Exception):
        pass

    def cancel(received, total):
        if received > total / 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        Encoder.pretrained(NAME, progress=cancel)
    assert not on_this_machine(NAME)
    (blobs,) = (tmp_path / "cache").glob("*/blobs")
    complete = sorted((folder / name).read_bytes() for name in ("config.json", "tokenizer.json"))
    assert sorted(blob.read_bytes() for blob in blobs.iterdir()) == complete
    Encoder.pretrained(NAME)
    assert hub.downloaded.count("config.json") == 1
    assert hub.downloaded.count("model.safetensors") == 2


def test_the_protocol_that_cannot_be_cancelled_is_switched_off_by_a_download_only(hub, monkeypatch):
    script = "import os, encoder_core.pretrained; print(os.environ.get('HF_HUB_DISABLE_XET'))"
    environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_DISABLE_XET"}
    printed = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
    )
    assert printed.stdout == "None\n"
    monkeypatch.delenv("HF_HUB_DISABLE_XET", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    assert not on_this_machine(NAME)
    assert is_xet_available() == bool(find_spec("hf_xet"))
    available = set()
    Encoder.pretrained(NAME, progress=lambda *_: available.add(is_xet_available()))
    assert available == {False}


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (NAME, {"allowed": {"a/b"}}, "may not be downloaded here; allowed: a/b"),
        (NAME, {"allowed": ()}, "allowed: none"),
        (NAME, {"max_bytes": 5}, "more than the"),
        (NAME, {"offline": True}, "not on this machine, and downloads are switched off"),
        (NAME, {"max_len": 2}, "max_len=2 must be a whole number from 3"),
        ("someone/else", {}, "no public model"),
        ("someone/no--name", {}, "no public model"),
    ],
)
def test_refused_before_anything_is_downloaded(name, arguments, message, hub):
    with pytest.raises(PretrainedError, match=message):
        Encoder.pretrained(name, **arguments)
    assert not hub.downloaded


@pytest.mark.parametrize(
    ("removed", "added", "message"),
    [
        ("model.safetensors", "pytorch_model.bin", "only as a pickle file"),
        ("model.safetensors", "notes.txt", "has no model.safetensors"),
        ("tokenizer.json", "vocab.txt", "has no tokenizer.json"),
    ],
)
def test_a_repository_that_lacks_a_file(removed, added, message, hub, folder):
    (folder / removed).unlink()
    (folder / added).touch()
    with pytest.raises(PretrainedError, match=message):
        Encoder.pretrained(NAME)
    assert not hub.downloaded


def test_no_network(hub, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(PretrainedError, match=r"cannot be reached \(ConnectError\)") as error:
        Encoder.pretrained(NAME)
    assert "\n" not in str(error.value)


def test_a_known_model_is_downloaded_at_its_revision_and_may_be_named_without_owner(hub, monkeypatch):
    monkeypatch.setattr(find, "KNOWN", {NAME: KnownModel("ab" * 20, "no_such_package", "model")})
    assert find_spec("no_such_package") is None
    Encoder.pretrained("tiny-bert")
    assert len(hub.downloaded) == 3
    assert on_this_machine("tiny-bert")
    assert cached_folder(NAME, "ab" * 20).name == "ab" * 20
    assert cached_folder(NAME, "main") is None


def test_another_model_is_downloaded_at_its_main_branch(hub):
    Encoder.pretrained(NAME)
    assert cached_folder(NAME, "main").name == COMMIT


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
def test_pinned_revisions_are_commits(known):
    assert re.fullmatch("[0-9a-f]{40}", known.revision)


@pytest.mark.parametrize("name", ["/no/such/folder", "a b", "a..b", "no--name"])
def test_what_cannot_be_a_name_is_not_on_this_machine(name, hub):
    assert not on_this_machine(name)
