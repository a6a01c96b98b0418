"""The class `ParameterizedModel`: the configuration, the parameters and the tokenizer of an encoder, and their size."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import MAX_SIZE, EncoderConfig, require_config
from encoder_core.encoder.file import read_encoder, write_encoder
from encoder_core.engine.stacked_parameters import StackedParameters, parameters_from_state, stack_parameters
from encoder_core.inputs.parsing import Inputs, ParsedInputs, parse_inputs
from encoder_core.inputs.positions import position_encoding
from encoder_core.inputs.tokenizer import TokenBatch, Tokenizer
from encoder_core.parameters import (
    CheckedParameters,
    DrawnParameters,
    ParameterDict,
    Parameters,
    cost,
    have_large_numbers,
    require_arrays,
)
from encoder_core.pretrained import Neighbour, nearest_words
from encoder_core.support.validation import invalid_value, require_integer, require_items, require_type

_SENTENCES = 'lists of sentences, such as [tokenizer("It slept")] or ["It slept"]'

Model = TypeVar("Model", bound="ParameterizedModel")


class ParameterizedModel:
    """What an `Encoder` computes with: a configuration, parameters that fit it and, for texts, a tokenizer."""

    def __init__(self, config: EncoderConfig, parameters: Parameters, tokenizer: Tokenizer | None = None) -> None:
        require_config(config)
        if tokenizer is not None:
            require_type("tokenizer", tokenizer, Tokenizer, "None and tokenizers, such as WordTokenizer(words)")
            if len(tokenizer) > config.vocab_size:
                raise invalid_value("len(tokenizer)", len(tokenizer), f"at most vocab_size={config.vocab_size} tokens")
        self._config = config
        self._tokenizer = tokenizer
        if not isinstance(parameters, DrawnParameters):  # these are read-only in any case
            require_arrays(config, parameters)
            if not isinstance(parameters, CheckedParameters):
                # Sets the `cached_property`, which would look through all numbers again.
                vars(self)["_has_large_parameters"] = have_large_numbers(parameters)
                parameters = CheckedParameters(parameters)
        self._parameters = parameters
        self._stacked = StackedParameters(parameters, config)
        # Random parameters have no words of their own; those that were trained have.
        self._makes_vocabulary = isinstance(parameters, DrawnParameters)

    def __repr__(self) -> str:
        c = self.config
        return (
            f"{type(self).__name__}(vocab_size={c.vocab_size}, max_len={c.max_len}, d_model={c.d_model}, "
            f"num_heads={c.num_heads}, d_ff={c.d_ff}, num_layers={c.num_layers})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the arrays on the device, which the copy makes when it runs."""
        state = {"_makes_vocabulary": self._makes_vocabulary}
        return type(self), (self.config, self._parameters, self.tokenizer), state

    def __copy__(self) -> "ParameterizedModel":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "ParameterizedModel":
        return self  # it is immutable

    def save(self, path: str | Path) -> None:
        """Write the parameters, the configuration and the tokenizer to a safetensors file, in the place of another one.

        The seed of drawn parameters is not part of it. Raises ValueError for what is no path and for a tokenizer that
        is none of this package, and OSError where the file cannot be written.
        """
        write_encoder(path, self.config, self._parameters, self.tokenizer, makes_vocabulary=self._makes_vocabulary)

    @classmethod
    def load(cls: type[Model], path: str | Path) -> Model:
        """The encoder in a file that `save` has written: it has the same trace of the same text, bit by bit.

        Nothing in the file is run. Raises ValueError, in one sentence, for what is no such file: where it is missing or
        damaged, where the metadata have no valid configuration and tokenizer, and where a parameter is missing or
        unknown, or has the wrong shape or numbers that are not finite.
        """
        config, parameters, tokenizer, makes_vocabulary = read_encoder(path)
        is_exact = capacity_for(config, config.max_len).exact
        model = cls._stacked_now(config, parameters, tokenizer) if is_exact else cls(config, parameters, tokenizer)
        model._makes_vocabulary = makes_vocabulary
        return model

    @classmethod
    def _stacked_now(
        cls: type[Model], config: EncoderConfig, parameters: Parameters, tokenizer: Tokenizer | None
    ) -> Model:
        """The model with the parameters as stacked for the program, so that large ones are in memory once."""
        capacity = capacity_for(config, config.max_len)
        stacked = stack_parameters(parameters, config, capacity)
        model = cls(config, parameters_from_state(stacked, parameters, config, capacity), tokenizer)
        model._stacked.store(capacity, stacked)
        return model

    @property
    def config(self) -> EncoderConfig:
        """The sizes and options."""
        return self._config

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer of texts. None: with random parameters, the vocabulary is made from each text anew; with
        others, there is no text."""
        return self._tokenizer

    @property
    def is_drawn(self) -> bool:
        """Whether the parameters are drawn from a seed: further ones can be, too (`with_config`)."""
        return isinstance(self._parameters, DrawnParameters)

    def parameters(self) -> ParameterDict:
        """Read-only float32 arrays by name, in the order of the forward pass. A kernel has shape (inputs, outputs)."""
        return dict(self._parameters)

    @property
    def parameters_by_part(self) -> dict[str, int]:
        """The number of parameters of each part."""
        return cost.parameters_by_part(self.config)

    @property
    def num_parameters(self) -> int:
        """The number of parameters."""
        return sum(self.parameters_by_part.values())

    @property
    def num_bytes(self) -> int:
        """The size of all parameters as float32, in bytes."""
        return self.num_parameters * cost.BYTES_PER_PARAMETER

    def memory_bytes(self, seq: int) -> int:
        """Approximate memory of this encoder alone after it has processed texts of `seq` tokens, at most.

        It stores its parameters, random ones when they have been looked at, and, unless it shares a draw with other
        encoders, a copy of them at capacity. Raises ValueError unless `seq` is a whole number from 1.
        """
        require_integer("seq", seq, 1)
        return self.num_bytes + (0 if self._stacked.uses_shared_draw else cost.stacked_bytes(self.config, seq))

    def flops(self, seq: int, batch: int = 1) -> int:
        """Floating-point operations of the matrix products of a forward pass over `batch` sentences of `seq` tokens.

        L (8 n d_model qkv_dim + 4 n^2 qkv_dim + 4 n d_model d_ff) per sentence of n tokens with L layers, plus the
        output head; see `cost.flops_by_part`. Raises ValueError unless both are whole numbers from 1.
        """
        return sum(cost.flops_by_part(self.config, seq, batch).values())

    def position_encoding(self, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """The encoding added to the first `seq` tokens: sinusoids, rows of a learned table, or zeros.

        Raises ValueError unless `seq` is a whole number from 1 to 1,000,000, for a learned table to `config.max_len`.
        """
        seq = require_integer("seq", seq, 1, MAX_SIZE)
        if self.config.positions == "learned" and seq > self.config.max_len:
            raise invalid_value("seq", seq, f"at most max_len={self.config.max_len} tokens for a learned table")
        return position_encoding(self.config, self._parameters, seq)

    def nearest_words(
        self, plus: Sequence[str], minus: Sequence[str] = (), count: int = 10, *, include_terms: bool = False
    ) -> list[Neighbour]:
        """The words whose embeddings are most similar to the sum of `plus` less that of `minus`, in order.

        See `pretrained.nearest_words`, which has the arguments and the errors. Raises ValueError also where the encoder
        has no tokenizer.
        """
        if self.tokenizer is None:
            raise ValueError("this encoder has no tokenizer, so its vocabulary is not known: give it one.")
        return nearest_words(self._table, self.tokenizer.vocabulary, plus, minus, count, include_terms=include_terms)

    def _parse(self, inputs: Inputs) -> ParsedInputs:
        return parse_inputs(inputs, self.config, self._table, self.tokenizer, makes_vocabulary=self._makes_vocabulary)

    def _parse_each(self, batches: Sequence[TokenBatch | str]) -> list[ParsedInputs]:
        if isinstance(batches, TokenBatch):
            raise invalid_value("batches", batches, _SENTENCES)
        parsed = []
        for index, batch in enumerate(require_items("batches", batches, TokenBatch | str, _SENTENCES)):
            try:
                parsed.append(self._parse(batch))
            except ValueError as error:
                raise ValueError(f"batches[{index}]: {error}") from error
        return parsed

    @cached_property
    def _has_large_parameters(self) -> bool:
        return have_large_numbers(self._parameters)

    @property
    def _table(self) -> Float[np.ndarray, "vocab d_model"]:
        return self._parameters["token_embedding"]
