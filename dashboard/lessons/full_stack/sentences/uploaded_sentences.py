"""Sentences of the user's own: a text file that belongs to the session, and is forgotten with it."""

from pathlib import PurePath
from typing import NamedTuple

import streamlit as st

from dashboard.components.text_file import MAX_BYTES, TextFile, render_text_file
from dashboard.markdown import escape_message
from dashboard.models.traced_sentences import TracedSentences
from dashboard.state.session import session
from encoder_core.inputs.tokenizer import split_words
from encoder_core.support.wording import format_count, shorten

MAX_SENTENCES, MAX_LENGTH = 200, 300  # lines of a file, and characters of a line
_UPLOADED = "uploaded sentences"  # in `Session.memo`: a reload of the page begins another session
_MAX_NAME = 40


class UploadedText(NamedTuple):
    """The sentences of a file; `notes` says what is left out."""

    name: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...] = ()


def uploaded_text() -> UploadedText | None:
    """The text of this session's file, if it has one."""
    text = session().memo.get(_UPLOADED)
    return text if isinstance(text, UploadedText) else None


def read_sentences(file: TextFile) -> UploadedText:
    """The sentences of a file, one on each line. Raises ValueError with a sentence that names the file."""
    name = shorten(PurePath(file.name).name, _MAX_NAME) or "The file"
    if PurePath(file.name).suffix.lower() != ".txt":
        raise ValueError(f"“{name}” is not a .txt file. Save the text as plain text, one sentence per line.")
    if file.size > MAX_BYTES:
        raise ValueError(f"“{name}” has {file.size / 1000:,.0f} kB; allowed are {MAX_BYTES / 1000:.0f} kB.")
    if file.text is None:
        raise ValueError(f"“{name}” is not a text in UTF-8. Save it as plain text in this encoding.")
    lines = [line.strip() for line in file.text.removeprefix("\ufeff").splitlines()]
    different = list(dict.fromkeys(line[:MAX_LENGTH] for line in lines if split_words(line[:MAX_LENGTH])))
    if not different:
        raise ValueError(f"“{name}” has no line with a word: one sentence per line is needed.")
    notes = []
    if len(different) > MAX_SENTENCES:
        notes.append(f"It has {len(different):,} different sentences; the first {MAX_SENTENCES} are used.")
    if any(len(line) > MAX_LENGTH for line in lines):
        notes.append(f"Lines of more than {MAX_LENGTH} characters are cut.")
    return UploadedText(name, tuple(different[:MAX_SENTENCES]), tuple(notes))


def render_uploaded_sentences(traced: TracedSentences | None) -> None:
    """Render the button for a file, and what became of the last one.

    traced  the traces of its sentences; None without a file
    """
    text = uploaded_text()
    with st.container(border=True, key="own_sentences"):
        with st.container(horizontal=True, vertical_alignment="center"):
            render_text_file("Add your own sentences (.txt)", key="own_sentences_file", on_file=_open)
            if text:
                st.button("Remove", icon=":material/close:", key="own_sentences_remove", on_click=_remove)
        problem = session().memo.get(f"{_UPLOADED}: problem")
        if problem:
            st.warning(escape_message(problem), icon=":material/info:")
        st.caption(_describe(text, traced))


def _describe(text: UploadedText | None, traced: TracedSentences | None) -> str:
    """Caption: the sentences in use, those left out, and where the file is."""
    where = "It stays in the memory of this session; when you reload the page, it is gone."
    if text is None:
        return (
            f"One sentence per line, up to {MAX_SENTENCES} sentences and {MAX_BYTES / 1000:.0f} kB. They are searched "
            f"together with the sentences of this page. {where.replace('It', 'The file', 1)}"
        )
    notes = list(text.notes)
    count = len(text.sentences)
    if traced:
        count -= traced.unknown + traced.beyond
        if traced.unknown:
            notes.append(f"Sentences with words that are not in the vocabulary are left out: {traced.unknown}.")
        if traced.cut:
            notes.append(f"Sentences with more tokens than this encoder reads are cut: {traced.cut}.")
        if traced.beyond:
            notes.append(f"There is no room for the last {traced.beyond} of its sentences in memory.")
    sentences = format_count(count, "sentence")
    return " ".join([f"“{escape_message(text.name)}”: {sentences} in use.", *notes, where])


def _open(file: TextFile) -> None:
    """Use the sentences of a file from now on; keep the former ones if it cannot be read."""
    memo = session().memo
    try:
        memo[_UPLOADED] = read_sentences(file)
        memo.pop(f"{_UPLOADED}: problem", None)
    except ValueError as error:
        memo[f"{_UPLOADED}: problem"] = f"{error}" + (" The former file stays in use." if uploaded_text() else "")


def _remove() -> None:
    session().memo.pop(_UPLOADED, None)
    session().memo.pop(f"{_UPLOADED}: problem", None)
