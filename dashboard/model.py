"""The model in use: the encoder that the settings describe, and its trace of the text or the recipe's own batch."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.settings import MAX_TOKENS, PositionChoice, Settings, positions_of, with_positions
from dashboard.what_if import state
from encoder_core import Edit, Encoder, EncoderConfig, EncoderTrace, TokenBatch, WordTokenizer
from encoder_core.config import Norm
from encoder_core.masks import MaskSpec
from encoder_core.parameters import Parameters
from encoder_core.shown import Shown
from encoder_core.tokenizer import split_words


@dataclass(frozen=True)
class Model:
    """An encoder with its input, as all pages of a session see it.

    vocabulary  what each id stands for
    mask        as `Encoder.trace` takes it
    dropped     lines of the text without a visible character, which cannot be sentences
    edits       the what-ifs that the trace is made with
    """

    settings: Settings
    encoder: Encoder
    vocabulary: tuple[str, ...]
    batch: TokenBatch
    mask: MaskSpec
    dropped: int = 0
    edits: tuple[Edit, ...] = ()

    @property
    def config(self) -> EncoderConfig:
        """The sizes and choices of the encoder."""
        return self.encoder.config

    @property
    def positions(self) -> PositionChoice:
        """The positions of the encoder, as one choice."""
        return positions_of(self.config)

    @cached_property
    def trace(self) -> EncoderTrace:
        """Every step of the forward pass."""
        return self.traced()

    def traced(self, *edits: Edit) -> EncoderTrace:
        """The forward pass again, with more what-if edits."""
        return self.encoder.trace(self.batch, self.mask, (*self.edits, *edits))

    @cached_property
    def shown(self) -> Shown:
        """The trace with what it was made from, for the badge."""
        return Shown(self.trace, self.config, self.encoder.parameters(), self.edits)

    @cached_property
    def parameters(self) -> Parameters:
        """The parameters that the trace is made with: those of the encoder, edited."""
        return self.shown.edited

    def position_encoding(self, choice: PositionChoice, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """The position encoding of the encoder, or the one it would have with another choice."""
        if choice == self.positions:
            return self.encoder.position_encoding(seq)
        other = with_positions(replace(self.config, num_layers=1), choice)
        return Encoder.random(other, self.settings.seed).position_encoding(seq)


def current() -> Model:
    """The model of this session with its what-ifs, shared with every session that chose the same."""
    model, found = _chosen()
    return edited(model.settings, found.edits) if found.edits else model


def left_out() -> tuple[str, ...]:
    """A sentence for each what-if that does not fit the model of this session, or that a link says wrongly."""
    _, found = _chosen()
    return found.problems


def _chosen() -> tuple[Model, state.Found]:
    """The model of the settings, and the what-ifs that fit it."""
    model = model_for(Settings.from_state(st.session_state.to_dict()))
    batch, seq = model.batch.ids.shape
    return model, state.fitting(model.config, batch, seq)


# Sized for a workshop: two dozen people, each at a setting of their own, at 1 to 10 MB each.
@st.cache_resource(max_entries=24, show_spinner=False)
def model_for(settings: Settings) -> Model:
    """The encoder and the tokenized text of these settings, or the recipe's with its own batch."""
    recipe = settings.recipe
    if recipe:
        encoder = Encoder.recipe(recipe.name, settings.variant, settings.seed)
        batch, mask, _ = recipe.inputs(settings.seed)
        return Model(settings, encoder, recipe.vocabulary, batch, mask)
    sentences = [sentence for sentence in settings.sentences if split_words(sentence)]
    tokenizer = WordTokenizer.from_texts(sentences, max_len=MAX_TOKENS)
    batch = tokenizer(sentences, max_len=MAX_TOKENS)
    encoder = Encoder.random(settings.config(len(tokenizer)), settings.seed, tokenizer=tokenizer)
    dropped = len(settings.sentences) - len(sentences)
    return Model(settings, encoder, tokenizer.vocabulary, batch, settings.mask_name, dropped)


@st.cache_resource(max_entries=12, show_spinner=False)
def edited(settings: Settings, edits: tuple[Edit, ...]) -> Model:
    """The same model with what-ifs; its batch has the tokens that they put there."""
    model = replace(model_for(settings), edits=edits)
    tokens, ids = model.trace.tokens, model.trace.ids
    return replace(model, batch=model.batch._replace(tokens=tokens, ids=ids)) if ids is not None else model


@st.cache_resource(max_entries=8, show_spinner=False)
def model_with_norm(settings: Settings, norm: Norm) -> Model:
    """The same model and parameters with its norms elsewhere; pre-norm has a final norm."""
    model = model_for(settings)
    config = replace(model.config, norm=norm, final_norm=norm == "pre")
    own, drawn = model.encoder.parameters(), Encoder.random(config, settings.seed).parameters()
    parameters = {name: own.get(name, drawn[name]) for name in drawn}
    return replace(model, encoder=Encoder.from_parameters(config, parameters))
