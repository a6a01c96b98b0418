"""The files of the page Take away. Each is made when its button is clicked; until then, it costs nothing."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard.lessons.take_away.subject import subject_of
from dashboard.models.model import Model
from dashboard.models.variants import edited_model
from dashboard.selection.focus import Focus
from dashboard.state.link import link_to
from encoder_core.export import (
    Subject,
    encoder_core_notebook,
    notebook_json,
    parameters_safetensors,
    plain_notebook,
    trace_npz,
    trace_safetensors,
)
from encoder_core.export.report import report_html
from encoder_core.parameters.cost import trace_bytes
from encoder_core.support.number_format import with_unit_prefix

MAX_BYTES = 100_000_000  # of one file; the server keeps it in memory while the tab is open
_SIZE_SHOWN_FROM = 200_000  # bytes; the names in a smaller file can take a third of its size
MAP = "map"  # the page that the files link to
_NOTEBOOK, _BINARY, _HTML = "application/x-ipynb+json", "application/octet-stream", "text/html"


@dataclass(frozen=True)
class File:
    """A file to download.

    label    of the button
    name     of the file
    make     computes the content
    num_bytes  approximate size; None for small files
    advice   what makes the file smaller; "" if nothing does
    """

    label: str
    name: str
    mime: str
    make: Callable[[Subject], bytes]
    num_bytes: int | None = None
    advice: str = ""


def notebooks() -> list[File]:
    """The notebooks of the current state."""
    return [
        File("Plain JAX and Flax", "encoder.ipynb", _NOTEBOOK, lambda subject: notebook_json(plain_notebook(subject))),
        File("With encoder_core", "with_encoder_core.ipynb", _NOTEBOOK,
             lambda subject: notebook_json(encoder_core_notebook(subject))),
    ]  # fmt: skip


def arrays(model: Model) -> list[File]:
    """The arrays of the current state."""
    batch, seq = model.batch.ids.shape
    trace, parameters = trace_bytes(model.config, seq, batch), model.encoder.num_bytes
    advice = "Fewer or shorter sentences make it smaller."
    return [
        File("Trace, NumPy (.npz)", "trace.npz", _BINARY, lambda subject: trace_npz(subject.run), trace, advice),
        File("Trace, safetensors", "trace.safetensors", _BINARY, lambda subject: trace_safetensors(subject.run), trace,
             advice),
        File("Parameters", "parameters.safetensors", _BINARY, lambda subject: parameters_safetensors(subject.run),
             parameters),
    ]  # fmt: skip


def reports(at: Focus) -> list[File]:
    """The report of the selected sentence, layer and head."""
    place = (at.sentence, at.layer, at.head)
    return [File("Report (.html)", "encoder-report.html", _HTML,
                 lambda subject: report_html(subject, *place).encode())]  # fmt: skip


def render_files(model: Model, files: list[File]) -> None:
    """Render a button for each file. A file that is too large has a sentence instead."""
    settings, edits, link = model.settings, model.edits, link_to(MAP)

    def make(file: File) -> bytes:
        # Not the model itself: the server would keep it for as long as it keeps the button.
        current = edited_model(settings, edits)
        return file.make(subject_of(current, link))

    for file in files:
        num_bytes = file.num_bytes or 0
        size = f" · about {with_unit_prefix(num_bytes, 'B')}" if num_bytes >= _SIZE_SHOWN_FROM else ""
        if file.num_bytes and file.num_bytes > MAX_BYTES:
            st.caption(
                f"{file.label}: {with_unit_prefix(file.num_bytes, 'B')} is more than the limit of "
                f"{with_unit_prefix(MAX_BYTES, 'B')}. {file.advice}"
            )
            continue
        st.download_button(
            f"{file.label}{size}",
            lambda file=file: make(file),  # type: ignore[misc] # a default binds the loop's variable
            file.name,
            file.mime,
            key=f"download {file.name}",
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )
