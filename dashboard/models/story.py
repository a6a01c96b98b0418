"""The trained encoder of the start page: which one it is, and the head in which the default sentence's "it" looks at
"cat"."""

import re
from collections.abc import Iterable

import streamlit as st

from dashboard.models.loading import encoder_loader, encoder_named
from dashboard.models.model import model_for
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.setting_parameters import DEFAULTS, WORDS
from dashboard.state.settings import Settings
from dashboard.state.text import first_line, has_words
from encoder_core import attention_from, strongest_heads
from encoder_core.analysis.language import StrongHead
from encoder_core.experiments.claims.pronoun import SENTENCES
from encoder_core.pretrained import on_this_machine

SENTENCE, NOUN, OTHER_NOUN = SENTENCES["cat"]
PRONOUN = "it"


def story_encoder() -> str:
    """The name in the sidebar of the trained encoder: minilm unless it must be downloaded first, else a small one.

    Waits for an encoder that is being read from this machine.
    """
    return MINILM if MINILM in OFFERED and _is_loaded(OFFERED[MINILM]) else WORDS


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without signs."""
    return re.findall(r"\w+", text.lower())


def has_question(words: Iterable[str]) -> bool:
    """Whether a sentence of these words has the pronoun and the two nouns of the question."""
    return {PRONOUN, NOUN, OTHER_NOUN} <= set(words)


def has_known_answer(text: str) -> bool:
    """Whether a text has the sentence of which readers say that "it" is the cat: only a cat can be tired."""
    return words_of(text) == words_of(SENTENCE)


def story_settings(encoder: str, text: str) -> Settings:
    """The settings of the start page: this encoder with the first sentence of the text, or of the default text if that
    has no word."""
    line = first_line(text)
    return Settings.from_state(DEFAULTS | {"encoder": encoder, "text": line if has_words(line) else SENTENCE})


@st.cache_resource(max_entries=8, show_spinner=False)
def story_head(encoder: str) -> StrongHead:
    """The head with the largest weight from "it" to "cat" in the default sentence."""
    model = model_for(story_settings(encoder, SENTENCE))
    words = model.batch.tokens[0]
    weights = attention_from(model.trace, words.index(PRONOUN))
    return strongest_heads(weights, words.index(NOUN), count=1)[0]


def _is_loaded(name: str) -> bool:
    loader = encoder_loader(name)
    if loader.encoder is not None:
        return True
    return not loader.problem and on_this_machine(name) and encoder_named(name) is not None
