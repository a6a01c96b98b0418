"""The model in use: the encoder that the settings describe, and its trace of the text or the recipe's own batch."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from dashboard.models.cache import cached_by_size
from dashboard.models.loading import encoder_named, loading
from dashboard.state import edit_history
from dashboard.state.settings import (
    DEFAULT_TEXT,
    MAX_TOKENS,
    RANDOM,
    PositionChoice,
    Settings,
    current_settings,
    positions_of,
    with_positions,
)
from encoder_core import (
    Edit,
    Encoder,
    EncoderConfig,
    EncoderTrace,
    Run,
    TokenBatch,
    WordTokenizer,
)
from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import Norm
from encoder_core.cost import held_bytes, trace_bytes
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.tokenizer import Tokenizer, split_words
from encoder_core.parameters import Parameters


@dataclass(frozen=True)
class Model:
    """An encoder with its input, as all pages of a session see it.

    vocabulary  what each id stands for
    mask        as `Encoder.trace` takes it
    dropped     lines of the text without a visible character, which cannot be sentences
    edits       the what-ifs that the trace is made with
    left_out    a sentence for each what-if that it cannot be made with
    """

    settings: Settings
    encoder: Encoder
    vocabulary: tuple[str, ...]
    batch: TokenBatch
    mask: MaskSpec
    dropped: int = 0
    edits: tuple[Edit, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def config(self) -> EncoderConfig:
        """The sizes and choices of the encoder."""
        return self.encoder.config

    @property
    def positions(self) -> PositionChoice:
        """The positions of the encoder, as one choice."""
        return positions_of(self.config)

    @property
    def splits_heads(self) -> bool:
        """Whether its program is compiled for its own d_head alone, and splits heads by their shape."""
        return capacity_for(self.config, self.batch.ids.shape[1]).exact

    @property
    def num_bytes(self) -> int:
        """About how much memory it takes, beside encoders that others have anyway."""
        batch, seq = self.batch.ids.shape
        shared = bool(self.edits) or self.settings.trained is not None
        return trace_bytes(self.config, seq, batch) + (0 if shared else held_bytes(self.config, seq))

    @cached_property
    def run(self) -> Run:
        """The forward pass, with everything that it was computed from."""
        return self.encoder.run(self.batch, self.mask, self.edits)

    @property
    def trace(self) -> EncoderTrace:
        """Every step of the forward pass."""
        return self.run.trace

    def traced(self, *edits: Edit) -> EncoderTrace:
        """The forward pass again, with more what-if edits."""
        return self.encoder.trace(self.batch, self.mask, (*self.edits, *edits))

    @property
    def parameters(self) -> Parameters:
        """The parameters that the trace is made with: those of the encoder, edited."""
        return self.run.edited_parameters

    def position_encoding(self, choice: PositionChoice, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """The position encoding of the encoder, or the one it would have with another choice."""
        if choice == self.positions:
            return self.encoder.position_encoding(seq)
        other = with_positions(replace(self.config, num_layers=1, vocab_size=1), choice)
        return Encoder.random(other, self.settings.seed).position_encoding(seq)


def current() -> Model:
    """The model of this session with its what-ifs, shared with every session that chose the same."""
    model, found = _chosen()
    return edited(model.settings, found.edits) if found.edits else model


def identity() -> tuple[object, ...]:
    """What decides which model this session has: a page that was drawn with another identity is out of date."""
    settings = current_settings()
    is_here = settings.trained is None or loading(settings.trained).encoder is not None
    return settings, edit_history.texts(), is_here


def left_out() -> tuple[str, ...]:
    """A sentence for each what-if that does not fit the model of this session, or that a link says wrongly."""
    model, found = _chosen()
    return (*found.problems, *(edited(model.settings, found.edits).left_out if found.edits else ()))


def _chosen() -> tuple[Model, edit_history.Found]:
    """The model of the settings, and the what-ifs that fit it."""
    model = model_for(current_settings())
    batch, seq = model.batch.ids.shape
    return model, edit_history.fitting(model.config, batch, seq)


def model_for(settings: Settings) -> Model:
    """The encoder and the tokenized text of these settings, or the recipe's with its own batch.

    Until a trained encoder is here, the random one takes its place.
    """
    if settings.trained and encoder_named(settings.trained) is None:
        settings = replace(settings, encoder=RANDOM)
    return _model_for(settings)


@cached_by_size
def _model_for(settings: Settings) -> Model:
    recipe = settings.recipe
    if recipe:
        encoder = Encoder.recipe(recipe.name, settings.variant, settings.seed)
        batch, mask, _ = recipe.inputs(settings.seed)
        return Model(settings, encoder, recipe.vocabulary, batch, mask)
    trained = encoder_named(settings.trained) if settings.trained else None
    tokenizer = trained.tokenizer if trained else None
    sentences = [sentence for sentence in settings.sentences if _reads(sentence, tokenizer)]
    dropped = len(settings.sentences) - len(sentences)
    sentences = sentences or [DEFAULT_TEXT]
    tokenizer = tokenizer or WordTokenizer.from_texts(sentences, max_len=MAX_TOKENS)
    encoder = trained or Encoder.random(settings.config(len(tokenizer)), settings.seed, tokenizer=tokenizer)
    batch = tokenizer(sentences, max_len=encoder.config.max_len)
    vocabulary = _names_of_ids(tokenizer, encoder.config.vocab_size)
    return Model(settings, encoder, vocabulary, batch, settings.mask_name, dropped)


def _names_of_ids(tokenizer: Tokenizer, vocab_size: int) -> tuple[str, ...]:
    """What each id stands for; the table of a trained encoder may have rows that its tokenizer never asks for."""
    return (*tokenizer.vocabulary, *(f"[unused {index}]" for index in range(len(tokenizer), vocab_size)))


def _reads(sentence: str, tokenizer: Tokenizer | None) -> bool:
    """Whether a tokenizer finds something in a sentence; without one, whether there is a word."""
    if tokenizer is None:
        return bool(split_words(sentence))
    try:
        tokenizer(sentence)
    except ValueError:
        return False
    return True


@cached_by_size
def edited(settings: Settings, edits: tuple[Edit, ...]) -> Model:
    """The same model with what-ifs; its batch has the tokens that they put there."""
    return with_edits(model_for(settings), edits)


def with_edits(model: Model, edits: tuple[Edit, ...]) -> Model:
    """A model with these what-ifs in the place of its own, as many as it can be run with."""
    run, problems = model.encoder.run_with_fitting_edits(model.batch, model.mask, edits)
    batch = model.batch
    if run.trace.ids is not None:
        batch = batch._replace(tokens=run.trace.tokens, ids=run.trace.ids)
    found = replace(model, batch=batch, edits=run.edits, left_out=problems)
    vars(found)["run"] = run  # where `cached_property` keeps it, so that the encoder does not run twice
    return found


@cached_by_size
def model_with_norm(settings: Settings, norm: Norm) -> Model:
    """The same model and parameters with its norms elsewhere; pre-norm has a final norm, which is new."""
    model = model_for(settings)
    config = replace(model.config, norm=norm, final_norm=norm == "pre")
    new = {"final_norm.scale": np.ones(config.d_model, np.float32),
           "final_norm.bias": np.zeros(config.d_model, np.float32)}  # fmt: skip
    return replace(model, encoder=model.encoder.with_config(config, new))
