"""The traced sentences of the views that search many sentences, and a notice while they are being traced."""

from typing import NamedTuple

import streamlit as st

from dashboard.lessons.full_stack.sentences.uploaded_sentences import uploaded_text
from dashboard.models.model import Model
from dashboard.models.sentence_sources import project_sentences, uploaded_sentences
from dashboard.models.traced_sentences import TracedSentences, TracingProgress
from dashboard.state.session import session
from encoder_core.analysis.language import ContextVectors, PairWeights
from encoder_core.inputs.corpus import load_sentences
from encoder_core.support.wording import form_for, format_count

_SECONDS = 0.6  # between two looks at the progress


class Sources(NamedTuple):
    """The sentences of the project and, if the user has added a file, those of the file."""

    project: TracedSentences
    uploaded: TracedSentences | None

    @property
    def vectors(self) -> list[ContextVectors]:
        """The vectors of the usable sources."""
        return [source.vectors for source in self.usable if source.vectors]

    @property
    def pairs(self) -> list[PairWeights]:
        """The attention weights of the usable sources."""
        return [source.pairs for source in self.usable if source.pairs]

    @property
    def usable(self) -> list[TracedSentences]:
        """The sources with at least one sentence that the encoder can read."""
        return [source for source in (self.project, self.uploaded) if source and source.vectors]

    def is_uploaded(self, source: int) -> bool:
        """Whether the usable source with this index is the user's file."""
        return self.usable[source] is self.uploaded


def render_sources(current: Model) -> Sources | None:
    """The traced sentences. Until they are traced, and for a recipe, renders a notice and returns None."""
    task = current.settings.task
    if not current.settings.has_words:
        what = "this one reads the input of a task" if task else "a recipe has a fixed batch of ids"
        st.info(
            f"This view needs an encoder that reads sentences, and {what}: choose another encoder.",
            icon=":material/info:",
        )
        return None
    sources = _sources(current)
    if isinstance(sources, TracingProgress):
        _render_progress(current, session().query())
        return None
    if not sources.usable:
        st.info("The vocabulary of this encoder does not have the words of the sentences.", icon=":material/info:")
        return None
    return sources


def describe_sources(sources: Sources, current: Model) -> str:
    """The sentences in use, what was left out of those of this page, and how they were computed."""
    project, uploaded = sources.project, sources.uploaded
    written = len(load_sentences()) - project.unknown - project.beyond
    text = f"{format_count(written, 'sentence')} written for this project"
    if uploaded and uploaded.vectors:
        text += f" and {len(uploaded.vectors.tokens):,} of your file"
    left_out = []
    if project.unknown:
        have = form_for(project.unknown, "has", "have")
        left_out.append(f"{project.unknown} {have} words that are not in the vocabulary")
    if project.beyond:
        left_out.append(f"memory has no room for {project.beyond}")
    text += f" (others are left out: {'; '.join(left_out)})" if left_out else ""
    if current.edits:
        text += ", without your edits"
    if current.settings.mask == "custom":
        text += ", without the custom mask, which belongs to your text"
    return text


def _sources(current: Model) -> Sources | TracingProgress:
    project = project_sentences(current)
    if isinstance(project, TracingProgress):
        return project
    text = uploaded_text()
    uploaded = uploaded_sentences(current, text.sentences) if text else None
    return uploaded if isinstance(uploaded, TracingProgress) else Sources(project, uploaded)


@st.fragment(run_every=_SECONDS)
def _render_progress(current: Model, query: str) -> None:
    """Render the progress; rerun the page when the sentences are traced, or after another choice."""
    progress = _sources(current)
    if not isinstance(progress, TracingProgress) or session().query() != query:
        st.rerun()
    if progress.failed:
        st.warning("These sentences cannot be computed now. Try again later.", icon=":material/info:")
        return
    traced = f"{progress.traced} of {format_count(progress.total, 'sentence')}"
    wait = f"; {format_count(progress.before, 'other encoder')} first" if progress.before else ""
    st.progress(
        progress.traced / max(progress.total, 1),
        f"This encoder reads the sentences once, in the background: {traced}{wait}.",
    )
