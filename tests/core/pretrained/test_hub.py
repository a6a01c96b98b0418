"""Downloads from the hub, played by a dictionary: allow-list, size, progress, cancelling, no network."""

import io
from importlib.util import find_spec

import numpy as np
import pytest

from encoder_core import Encoder
from encoder_core.pretrained import PretrainedError, hub
from encoder_core.pretrained.find import KNOWN
from tests.core.pretrained.tiny import save_tiny

NAME = "someone/tiny-bert"


class PlayedHub:
    """What `huggingface_hub.HfFileSystem` has of it."""

    def __init__(self, files):
        self.files = files
        self.opened = []

    def ls(self, name, detail):
        if name != NAME:
            raise FileNotFoundError(name)
        return [{"name": f"{NAME}/{file}", "size": len(content)} for file, content in self.files.items()]

    def open(self, path, mode, block_size):
        self.opened.append(path.removeprefix(f"{NAME}/"))
        return io.BytesIO(self.files[self.opened[-1]])


@pytest.fixture
def played(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = save_tiny(tmp_path / "model")
    found = PlayedHub({path.name: path.read_bytes() for path in folder.iterdir()})
    monkeypatch.setattr(hub, "_hub", lambda: found)
    monkeypatch.setattr(hub, "_BLOCK", 1000)
    return found


def test_three_files_are_brought_once(played):
    seen = []
    encoder = Encoder.pretrained(NAME, progress=lambda done, total: seen.append((done, total)))
    assert played.opened == ["config.json", "tokenizer.json", "model.safetensors"]
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == sum(len(played.files[name]) for name in played.opened)
    again = Encoder.pretrained(NAME, offline=True)
    np.testing.assert_array_equal(again.trace("the cat").output, encoder.trace("the cat").output)
    assert len(played.opened) == 3


def test_cancelled_leaves_nothing_half_done_and_can_be_taken_up_again(played):
    class Cancelled(Exception):
        pass

    def cancel(done, total):
        if done > total / 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        Encoder.pretrained(NAME, progress=cancel)
    assert sorted(path.name for path in hub.downloads(NAME).iterdir()) == ["config.json", "tokenizer.json"]
    Encoder.pretrained(NAME)
    assert played.opened.count("config.json") == 1
    assert played.opened.count("model.safetensors") == 2


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (NAME, {"allowed": {"a/b"}}, "may not be downloaded here; allowed: a/b"),
        (NAME, {"allowed": ()}, "allowed: none"),
        (NAME, {"max_bytes": 5}, "more than the"),
        (NAME, {"offline": True}, "not on this machine"),
        ("someone/else", {}, "no public model"),
    ],
)
def test_refused_before_anything_is_brought(name, arguments, told, played):
    with pytest.raises(PretrainedError, match=told):
        Encoder.pretrained(name, **arguments)
    assert not played.opened


@pytest.mark.parametrize(
    ("without", "with_", "told"),
    [
        ("model.safetensors", "pytorch_model.bin", "pickle file only"),
        ("model.safetensors", "notes.txt", "has no model.safetensors"),
        ("tokenizer.json", "vocab.txt", "has no tokenizer.json"),
    ],
)
def test_a_repository_that_lacks_a_file(without, with_, told, played):
    del played.files[without]
    played.files[with_] = b""
    with pytest.raises(PretrainedError, match=told):
        Encoder.pretrained(NAME)
    assert not played.opened


def test_no_network(played, monkeypatch):
    def unreachable(name, detail):
        raise ConnectionError("no route\nto host")

    monkeypatch.setattr(played, "ls", unreachable)
    with pytest.raises(PretrainedError, match=r"cannot be reached \(ConnectionError\)") as error:
        Encoder.pretrained(NAME)
    assert "\n" not in str(error.value)


def test_a_short_name_and_a_package_that_is_not_installed(played, monkeypatch):
    monkeypatch.setitem(KNOWN, NAME, ("no_such_package", "model"))
    assert find_spec("no_such_package") is None
    Encoder.pretrained("tiny-bert")
    assert len(played.opened) == 3


def test_the_package_of_the_hub_has_what_is_used():
    from huggingface_hub import HfFileSystem

    assert callable(HfFileSystem.ls)
    assert callable(HfFileSystem.open)
