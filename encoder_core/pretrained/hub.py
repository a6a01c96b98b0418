"""Trained models from the Hugging Face hub: within an allow-list and a size, with progress, and possible to cancel."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from encoder_core.pretrained.bert import PretrainedError

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
MAX_BYTES = 500_000_000  # a BERT of 12 layers has 440 MB
Progress = Callable[[int, int], None]  # bytes received, bytes in all
_BLOCK = 4_000_000


def downloads(name: str) -> Path:
    """The folder in which a download of this model is kept."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return caches / "encoder-walkthrough" / name.replace("/", "--")


def download(
    name: str, allowed: Collection[str] | None, max_bytes: int, offline: bool, progress: Progress | None
) -> Path:
    """Bring a model's three files into its folder, and return the folder.

    Each file takes its name when it is complete; `progress` may raise to end the download, and what is there of the
    file then goes. Raises PretrainedError where the model is not allowed, too large, unknown or out of reach.
    """
    if allowed is not None and name not in allowed:
        raise PretrainedError(f"{name!r} may not be downloaded here; allowed: {', '.join(sorted(allowed)) or 'none'}.")
    if offline:
        raise PretrainedError(f"{name!r} is not on this machine, and nothing is downloaded here.")
    hub = _hub()
    with _in_reach(name):
        sizes = _sizes(hub, name)
    total = sum(sizes.values())
    if total > max_bytes:
        raise PretrainedError(
            f"{name!r} has {total / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB allowed here."
        )
    folder = downloads(name)
    done = 0
    for file, size in sizes.items():
        if not (folder / file).is_file():
            for received in _fetch(hub, name, folder / file):
                if progress is not None:
                    progress(done + received, total)
        done += size
    return folder


def no_weights(where: str, files: Collection[str]) -> str:
    """The sentence about a folder or a repository without model.safetensors, which has these files."""
    if any(file.endswith((".bin", ".pt", ".pth", ".ckpt", ".pkl")) for file in files):
        return f"{where} has its weights as a pickle file only, which is a program and is not run; {WEIGHTS} is needed."
    if f"{WEIGHTS}.index.json" in files:
        return f"{where} has its weights in several files, which cannot be read; one {WEIGHTS} is needed."
    return f"{where} has no {WEIGHTS}."


def _hub() -> Any:
    try:
        from huggingface_hub import HfFileSystem  # only here: it takes a while to import
    except ImportError as error:
        raise PretrainedError("a download needs the package huggingface_hub: pip install huggingface_hub.") from error
    return HfFileSystem()


def _sizes(hub: Any, name: str) -> dict[str, int]:
    """Bytes of each of the three files."""
    found = {entry["name"].removeprefix(f"{name}/"): entry["size"] for entry in hub.ls(name, detail=True)}
    if WEIGHTS not in found:
        raise PretrainedError(no_weights(repr(name), found))
    missing = [file for file in (CONFIG, TOKENIZER) if file not in found]
    if missing:
        raise PretrainedError(f"{name!r} has no {missing[0]}.")
    return {file: found[file] for file in (CONFIG, TOKENIZER, WEIGHTS)}


def _fetch(hub: Any, name: str, target: Path) -> Iterator[int]:
    """Bring one file, and say after each block how many bytes have come. Nothing is left of what is not complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            for block in _blocks(hub, name, target.name):
                file.write(block)
                yield file.tell()
        Path(partial).replace(target)
    finally:
        with suppress(FileNotFoundError):
            Path(partial).unlink()


def _blocks(hub: Any, name: str, file: str) -> Iterator[bytes]:
    with _in_reach(name):
        remote = hub.open(f"{name}/{file}", "rb", block_size=_BLOCK)
    with remote:
        while True:
            with _in_reach(name):
                block = remote.read(_BLOCK)
            if not block:
                return
            yield block


@contextmanager
def _in_reach(name: str) -> Iterator[None]:
    """Errors of the hub as one sentence."""
    try:
        yield
    except PretrainedError:
        raise
    except FileNotFoundError as error:
        raise PretrainedError(
            f"there is no folder and no public model on the Hugging Face hub named {name!r}."
        ) from error
    except Exception as error:  # of whichever HTTP library the hub's package uses
        raise PretrainedError(
            f"{name!r} is not on this machine, and the Hugging Face hub cannot be reached ({type(error).__name__})."
        ) from error
