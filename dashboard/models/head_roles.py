"""The roles of the heads of the current encoder, measured once per encoder on fixed sentences."""

from dataclasses import replace

import streamlit as st

from dashboard.models.model import Model, model_for
from dashboard.state.setting_parameters import DEFAULT_TEXT
from dashboard.state.settings import Settings
from encoder_core import SENTENCES, Encoder, HeadRoles, WordTokenizer, head_roles
from encoder_core.training.tasks.words import unseen_sentences


def model_head_roles(model: Model) -> HeadRoles | None:
    """The roles of all heads without edits, over fixed sentences, or over the batch of a recipe.

    None if the custom mask of a recipe hides all keys of all roles.

    The sentences are `SENTENCES`, or as many whose words the encoder knows if it was trained on masked words. Random
    inputs of the task stand in for them if the encoder reads no sentences. A custom mask belongs to the user's text, so
    they are measured with the mask "padding" instead.
    """
    settings = replace(model.settings, text=DEFAULT_TEXT, input="")
    is_on_user_text = settings.recipe is None
    return _roles(settings.without_custom_mask if settings.has_custom_mask and is_on_user_text else settings)


@st.cache_resource(max_entries=16, show_spinner="Measuring the heads …")
def _roles(settings: Settings) -> HeadRoles | None:
    model = model_for(settings)
    if settings.recipe:
        try:
            return head_roles([model.trace], allow_padding=True)
        except ValueError:  # no query can attend to a key of a role
            return None
    encoder, tokenizer = model.encoder, model.encoder.tokenizer
    if settings.task and not settings.task.reads_sentences:
        return head_roles(encoder.trace(batch, model.mask) for batch in settings.task.random_inputs(len(SENTENCES)))
    if tokenizer is None or isinstance(tokenizer, WordTokenizer):
        # The vocabulary holds the words of the text. The same seed gives the same parameters for another vocabulary.
        tokenizer = WordTokenizer.from_texts(SENTENCES)
        encoder = Encoder.random(replace(encoder.config, vocab_size=len(tokenizer)), settings.seed)
    sentences = unseen_sentences()[: len(SENTENCES)] if settings.task else SENTENCES
    return head_roles(encoder.trace(tokenizer(s, max_len=encoder.config.max_len), model.mask) for s in sentences)
