"""An encoder with its input: that of the settings, with its trace of the text or of the batch of a recipe."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

import numpy as np
from jaxtyping import Float

from dashboard.models.cache import cached_by_size
from dashboard.models.checkpoints import checkpoint_encoder, run_and_checkpoint, with_existing_checkpoint
from dashboard.models.loading import encoder_named
from dashboard.state.offered_encoders import CHECKPOINT, RANDOM, TASK_ENCODERS
from dashboard.state.position_choice import PositionChoice, positions_of, with_positions
from dashboard.state.setting_parameters import MAX_TOKENS
from dashboard.state.settings import Settings
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
from encoder_core.edits import SetWeight
from encoder_core.edits.compatible import IgnoredEdit
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.tokenizer import Tokenizer, can_tokenize
from encoder_core.parameters import Parameters
from encoder_core.parameters.cost import stacked_bytes, trace_bytes
from encoder_core.training.shipped import trained_encoder


@dataclass(frozen=True)
class Model:
    """An encoder with its input, shared by all pages of a session.

    vocabulary     the token of each id
    mask           the mask for `Encoder.trace`
    skipped_lines  number of lines of the text that have no token
    edits          the edits of the trace
    edit_problems  a sentence for each edit that cannot be applied
    number         differs for all models, also for those with the same settings and another encoder
    """

    settings: Settings
    encoder: Encoder
    vocabulary: tuple[str, ...]
    batch: TokenBatch
    mask: MaskSpec
    skipped_lines: int = 0
    edits: tuple[Edit, ...] = ()
    edit_problems: tuple[IgnoredEdit, ...] = ()
    number: int = field(default_factory=count().__next__, init=False, compare=False)

    @property
    def config(self) -> EncoderConfig:
        """The configuration of the encoder."""
        return self.encoder.config

    @property
    def is_trained(self) -> bool:
        """Whether the parameters were trained; otherwise they are random, and patterns mean nothing."""
        is_initial = self.settings.encoder == CHECKPOINT and self.settings.checkpoint == 0
        return self.has_vocabulary and not is_initial

    @property
    def has_vocabulary(self) -> bool:
        """Whether the encoder has a vocabulary of its own, which does not depend on the text."""
        return self.settings.trained is not None or self.settings.task is not None

    @property
    def shares_encoder(self) -> bool:
        """Whether the encoder stays in memory without this model."""
        return self.settings.trained is not None or self.settings.encoder in TASK_ENCODERS

    @property
    def has_causal_mask(self) -> bool:
        """Whether the mask, without the user's own cells, hides later keys."""
        return isinstance(self.mask, str) and "causal" in self.mask

    @property
    def positions(self) -> PositionChoice:
        """The positions of the encoder, as the choice in the sidebar."""
        return positions_of(self.config)

    @property
    def splits_heads(self) -> bool:
        """Whether the compiled program is specific to this d_head and splits heads by reshaping."""
        return capacity_for(self.config, self.batch.ids.shape[1]).exact

    @property
    def num_bytes(self) -> int:
        """Approximate memory, without encoders that other models share."""
        batch, seq = self.batch.ids.shape
        parameter_bytes = 0
        if any(isinstance(edit, SetWeight) for edit in self.edits):
            parameter_bytes = stacked_bytes(self.config, seq)
        elif not (self.edits or self.settings.has_custom_mask or self.shares_encoder):
            parameter_bytes = self.encoder.memory_bytes(seq)
        return trace_bytes(self.config, seq, batch) + parameter_bytes

    @cached_property
    def run(self) -> Run:
        """The forward pass with its inputs and parameters."""
        return self.encoder.run(self.batch, self.mask, self.edits)

    @property
    def trace(self) -> EncoderTrace:
        """All intermediate results of the forward pass."""
        return self.run.trace

    def trace_with(self, *edits: Edit) -> EncoderTrace:
        """The trace of another forward pass, with additional edits."""
        return self.encoder.trace(self.batch, self.mask, (*self.edits, *edits))

    @property
    def parameters(self) -> Parameters:
        """The parameters of the trace: those of the encoder, with the edits applied."""
        return self.run.edited_parameters

    def position_encoding(self, choice: PositionChoice, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """The position encoding of the encoder, or of the same encoder with another choice of positions."""
        if choice == self.positions:
            return self.encoder.position_encoding(seq)
        other = with_positions(replace(self.config, num_layers=1, vocab_size=1), choice)
        return Encoder.random(other, self.settings.seed).position_encoding(seq)


def model_for(settings: Settings) -> Model:
    """The encoder of these settings with the tokenized text; a recipe with its own batch.

    Until a trained encoder is loaded, the random encoder is used instead, and for a checkpoint that this server does
    not have.
    """
    if settings.encoder == CHECKPOINT:
        settings = with_existing_checkpoint(settings)
    if settings.trained and encoder_named(settings.trained) is None:
        settings = replace(settings, encoder=RANDOM)
    try:
        return _model_for(settings)
    except _RunRemoved:  # since the settings were read
        return _model_for(replace(settings, encoder=RANDOM))


class _RunRemoved(Exception):
    """The server does not have the run of a checkpoint any more."""


@cached_by_size
def _model_for(settings: Settings) -> Model:
    if settings.has_custom_mask:  # a click on its grid must not draw the parameters again
        model = _model_for(settings.without_custom_mask)
        custom = settings.custom_mask.array(model.batch.real, model.config.num_heads)
        return replace(model, settings=settings, mask=custom)
    recipe = settings.recipe
    if recipe:
        encoder = Encoder.recipe(recipe.name, settings.variant, settings.seed)
        batch, mask, _ = recipe.inputs(settings.seed)
        if settings.recipe_mask != "tutorial":
            mask = None if settings.recipe_mask == "none" else "causal"
        return Model(settings, encoder, recipe.vocabulary, batch, mask)
    trained = _trained_encoder(settings)
    tokenizer = trained.tokenizer if trained else None
    sentences, dropped = _tokenizable(settings, tokenizer)
    tokenizer = tokenizer or WordTokenizer.from_texts(sentences, max_len=MAX_TOKENS)
    encoder = trained or Encoder.random(settings.config(len(tokenizer)), settings.seed, tokenizer=tokenizer)
    batch = tokenizer(sentences, max_len=encoder.config.max_len)
    vocabulary = _vocabulary(tokenizer, encoder.config.vocab_size)
    return Model(settings, encoder, vocabulary, batch, settings.mask_name, dropped)


def _trained_encoder(settings: Settings) -> Encoder | None:
    """The trained encoder of the settings; None if their encoder is not trained, or not loaded. Raises _RunRemoved."""
    if settings.encoder == CHECKPOINT:
        run_checkpoint = run_and_checkpoint(settings)
        if run_checkpoint is None:
            raise _RunRemoved
        return checkpoint_encoder(*run_checkpoint)
    if settings.task:
        return trained_encoder(settings.encoder)
    return encoder_named(settings.trained) if settings.trained else None


def sentences_of(model: Model) -> tuple[str, ...]:
    """The sentences that were tokenized; none for the batch of a recipe."""
    if model.settings.recipe:
        return ()
    sentences, _ = _tokenizable(model.settings, model.encoder.tokenizer if model.has_vocabulary else None)
    return tuple(sentences)


def _tokenizable(settings: Settings, tokenizer: Tokenizer | None) -> tuple[list[str], int]:
    """The lines of the text that have a token, and the number of the others; an example if no line has one."""
    sentences = [sentence for sentence in settings.sentences if can_tokenize(sentence, tokenizer)]
    return sentences or [settings.example], len(settings.sentences) - len(sentences)


def _vocabulary(tokenizer: Tokenizer, vocab_size: int) -> tuple[str, ...]:
    """The token of each id. The table of a trained encoder can have rows that its tokenizer never uses."""
    return (*tokenizer.vocabulary, *(f"[unused {index}]" for index in range(len(tokenizer), vocab_size)))
