"""What the heads of the encoder in use look at: measured once for each encoder, whatever the text."""

from dataclasses import replace

import streamlit as st

from dashboard.models.model import Model, model_for
from dashboard.state.settings import DEFAULT_TEXT, Settings
from encoder_core import SENTENCES, Encoder, HeadRoles, WordTokenizer, head_roles


def roles_of(model: Model) -> HeadRoles:
    """The roles of all heads, without what-ifs: over our own sentences, or over the own batch of a recipe."""
    return _roles(replace(model.settings, text=DEFAULT_TEXT))


@st.cache_resource(max_entries=16, show_spinner=f"Reading {len(SENTENCES)} sentences …")
def _roles(settings: Settings) -> HeadRoles:
    model = model_for(settings)
    if settings.recipe:
        return head_roles([model.trace])
    encoder, tokenizer = model.encoder, model.encoder.tokenizer
    if tokenizer is None or isinstance(tokenizer, WordTokenizer):
        # Its vocabulary is the text's own. The same seed draws the same parameters, and a row for each of our words.
        tokenizer = WordTokenizer.from_texts(SENTENCES)
        encoder = Encoder.random(replace(encoder.config, vocab_size=len(tokenizer)), settings.seed)
    return head_roles(encoder.trace(tokenizer(s, max_len=encoder.config.max_len), model.mask) for s in SENTENCES)
