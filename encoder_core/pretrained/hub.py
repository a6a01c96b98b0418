"""Trained models from the Hugging Face hub, kept in its own cache (HF_HUB_CACHE).

A download is limited to an allow-list and a size. It reports its progress and can be cancelled.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from encoder_core.pretrained.bert import PretrainedError
from encoder_core.support.progress import Progress

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
FILES = (CONFIG, TOKENIZER, WEIGHTS)
MAX_BYTES = 500_000_000  # a BERT of 12 layers has 440 MB

# Importing huggingface_hub takes 0.4 s: the functions below import it.


def cached_folder(name: str, revision: str) -> Path | None:
    """The folder of an earlier download, or None where one of the three files is missing. Needs no network."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        paths = [try_to_load_from_cache(name, file, revision=revision) for file in FILES]
    except HFValidationError:  # not a name that the hub allows
        return None
    complete = [Path(path) for path in paths if isinstance(path, str)]
    return complete[0].parent if len(complete) == len(FILES) else None


def download(
    name: str,
    revision: str,
    allowed: Collection[str] | None,
    max_bytes: int,
    offline: bool,
    progress: Progress | None,
) -> Path:
    """Download the three files of a model into the hub's cache, and return their folder.

    An exception raised by `progress` ends the download; the cache then holds complete files only. Raises
    PretrainedError if the model is not allowed, too large, unknown or cannot be reached.
    """
    if allowed is not None and name not in allowed:
        raise PretrainedError(f"{name!r} may not be downloaded here; allowed: {', '.join(sorted(allowed)) or 'none'}.")
    if offline:
        raise PretrainedError(f"{name!r} is not on this machine, and downloads are switched off.")
    from huggingface_hub import constants, hf_hub_download

    # Xet, the hub's other protocol, ignores exceptions of the progress bar, so a download could not be cancelled. The
    # environment is read when huggingface_hub is imported, which may have been before; a user's own choice is kept.
    if "HF_HUB_DISABLE_XET" not in os.environ:
        constants.HF_HUB_DISABLE_XET = True
    with _hub_errors(name):
        sizes = _file_sizes(name, revision)
    total = sum(sizes.values())
    if total > max_bytes:
        raise PretrainedError(
            f"{name!r} has {total / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB allowed here."
        )
    transfer = _Transfer(total, progress)
    progress_bar = transfer.progress_bar()
    with _hub_errors(name, transfer):
        for file, size in sizes.items():
            path = hf_hub_download(name, file, revision=revision, tqdm_class=progress_bar)
            transfer.finish_file(size)
    return Path(path).parent


def no_weights(where: str, files: Collection[str]) -> str:
    """The error message for a folder or a repository that has these files but no model.safetensors."""
    if any(file.endswith((".bin", ".pt", ".pth", ".ckpt", ".pkl")) for file in files):
        return (
            f"{where} has its weights only as a pickle file, which can run code and is not opened; {WEIGHTS} is needed."
        )
    if f"{WEIGHTS}.index.json" in files:
        return f"{where} has its weights in several files, which is not supported; one {WEIGHTS} is needed."
    return f"{where} has no {WEIGHTS}."


def _file_sizes(name: str, revision: str) -> dict[str, int]:
    """File -> bytes, for each of the three files."""
    from huggingface_hub import HfApi

    repository = HfApi().model_info(name, revision=revision, files_metadata=True)
    sizes = {file.rfilename: file.size or 0 for file in repository.siblings or ()}
    if WEIGHTS not in sizes:
        raise PretrainedError(no_weights(repr(name), sizes))
    for file in FILES:
        if file not in sizes:
            raise PretrainedError(f"{name!r} has no {file}.")
    return {file: sizes[file] for file in FILES}


class _Transfer:
    """Adds up the bytes of all files and reports them to `progress`.

    error  the exception by which `progress` ended the download
    """

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.error: Exception | None = None
        self._total, self._progress = total, progress
        self._finished = 0  # bytes of complete files
        self._received = 0  # bytes of the current file

    def finish_file(self, size: int) -> None:
        """Count a complete file, which may have been in the cache before."""
        self._finished += size
        self._received = 0
        self._report()

    def progress_bar(self) -> type[Any]:
        """A class of progress bars that print nothing and count the bytes of each block here."""
        from huggingface_hub.utils.tqdm import tqdm

        transfer = self

        class ProgressBar(tqdm):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options | {"disable": True})  # type: ignore[no-untyped-call]

            def update(self, n: int | float | None = 1) -> None:
                transfer._received += int(n or 0)
                transfer._report()

        return ProgressBar

    def _report(self) -> None:
        if self._progress is None:
            return
        try:
            self._progress(min(self._finished + self._received, self._total), self._total)
        except Exception as error:
            self.error = error
            raise


@contextmanager
def _hub_errors(name: str, transfer: _Transfer | None = None) -> Iterator[None]:
    """Turn errors of the hub into a PretrainedError of one sentence; an exception of `progress` stays as it is."""
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        yield
    except PretrainedError:
        raise
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise PretrainedError(
            f"there is no folder and no public model on the Hugging Face hub named {name!r}."
        ) from error
    except RevisionNotFoundError as error:
        raise PretrainedError(f"the Hugging Face hub does not have the expected revision of {name!r}.") from error
    except Exception as error:  # the HTTP library depends on the version of huggingface_hub
        if transfer and error is transfer.error:
            raise
        raise PretrainedError(
            f"{name!r} is not on this machine, and the Hugging Face hub cannot be reached ({type(error).__name__})."
        ) from error
