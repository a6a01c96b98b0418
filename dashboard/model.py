"""The model in use: the encoder that the settings describe, and its trace of the participant's text."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.settings import MAX_TOKENS, PositionChoice, Settings
from encoder_core import Edit, Encoder, EncoderConfig, EncoderTrace, TokenBatch, WordTokenizer
from encoder_core.tokenizer import split_words


@dataclass(frozen=True)
class Model:
    """An encoder with its text, as all pages of a session see it."""

    settings: Settings
    encoder: Encoder
    tokenizer: WordTokenizer
    batch: TokenBatch
    dropped: int  # lines without a visible character, which cannot be sentences

    @property
    def config(self) -> EncoderConfig:
        """The sizes and choices of the encoder."""
        return self.encoder.config

    @cached_property
    def trace(self) -> EncoderTrace:
        """Every step of the forward pass."""
        return self.traced()

    def traced(self, *edits: Edit) -> EncoderTrace:
        """The forward pass again, with what-if edits."""
        return self.encoder.trace(self.batch, self.settings.mask_name, edits)

    def position_encoding(self, choice: PositionChoice, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """The position encoding of the encoder, or the one it would have with another choice."""
        if choice == self.settings.positions:
            return self.encoder.position_encoding(seq)
        other = replace(self.settings, positions=choice, layers=1).config(self.config.vocab_size)
        return Encoder.random(other, self.settings.seed).position_encoding(seq)


def current() -> Model:
    """The model of this session, shared with every session that chose the same."""
    return model_for(Settings.from_state(st.session_state.to_dict()))


# Sized for a workshop: two dozen people, each at a setting of their own, at 1 to 10 MB each.
@st.cache_resource(max_entries=24, show_spinner=False)
def model_for(settings: Settings) -> Model:
    """The encoder and the tokenized text of these settings."""
    sentences = [sentence for sentence in settings.sentences if split_words(sentence)]
    tokenizer = WordTokenizer.from_texts(sentences, max_len=MAX_TOKENS)
    batch = tokenizer(sentences, max_len=MAX_TOKENS)
    encoder = Encoder.random(settings.config(len(tokenizer)), settings.seed, tokenizer=tokenizer)
    return Model(settings, encoder, tokenizer, batch, dropped=len(settings.sentences) - len(sentences))
