"""What the person should know about their text or their link, one sentence each."""

import streamlit as st

from dashboard import window
from dashboard.model import Model, model_for
from dashboard.settings import Settings, fit_text, link_problems
from encoder_core.tokenizer import split_words

# The stage at which a tensor is seen first, and others that show it.
_STAGES_OF = {
    "scaled_embedding": ("embedding",),
    "position_encoding": ("positions",),
    "q": ("qkv",),
    "pattern": ("softmax", "multi_head", "full_stack"),
    "mlp_out": ("feed_forward",),
}

_DIFFERS = {  # what the code differs from: the sentence, and what "as intended" shows
    "text": ("Text and code of this tutorial disagree here", "as intended"),
    "paper": (
        "Text and code of this tutorial agree here and differ from the paper",
        "as intended, which is the paper's way",
    ),
}


def notices(settings: Settings) -> list[str]:
    """All that is to be said. What a link could not have is said until the person changes something."""
    link = st.session_state["link"]
    if st.session_state.setdefault("settings_of_link", settings) != settings:
        link.clear()
    said = link_problems(link, settings) + window.link_problems(link, model_for(settings).config)
    return said if settings.recipe else said + _about_text(settings)


def quirks(settings: Settings, page: str) -> list[str]:
    """Where the code of the tutorial that is chosen differs from its text or from the paper, as seen on this page."""
    recipe = settings.recipe
    notes = [note for note in recipe.notes if note.shows and page in _STAGES_OF[note.shows]] if recipe else []
    config = model_for(settings).config
    said = []
    for note in notes:
        sentence, intended = _DIFFERS[note.differs_from]
        shown = "as written" if note.is_written_in(config) else intended
        said.append(f"{sentence} (“{note.title}”). Shown: {shown}. The page Recipes compares both.")
    return said


def _about_text(settings: Settings) -> list[str]:
    said = []
    link = st.session_state["link"]
    if "text" in link:
        _, st.session_state["text_notice"] = fit_text(link["text"][-1])
    if st.session_state.get("text_notice"):
        said.append(st.session_state["text_notice"])
    if not split_words(st.session_state.get("text", "")):
        said.append("There is no text, so the default sentence is used: type one in the sidebar.")
    current = model_for(settings)
    if any(current.batch.cut):
        longest = current.batch.ids.shape[1]
        said.append(f"A sentence was cut at {longest} {_unit(current)}; {max(current.batch.cut)} more are left out.")
    if current.dropped == len(settings.sentences):
        said.append("This encoder can read nothing in the text, so the default sentence is used.")
    elif current.dropped:
        said.append(f"{current.dropped} line(s) hold nothing that can be read, and are left out.")
    return said


def _unit(model: Model) -> str:
    return "pieces ([CLS] and [SEP] are two of them)" if model.settings.trained else "tokens"
