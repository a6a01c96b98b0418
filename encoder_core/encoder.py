"""The public face: an encoder that shows everything it computes."""

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from flax import nnx
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core import cost
from encoder_core.blocks import embed, lookup
from encoder_core.capacity import CAPACITIES, Capacity, capacity_for
from encoder_core.config import EncoderConfig, embedding_factors
from encoder_core.dropout import draw_kept, drop
from encoder_core.edits import Edit
from encoder_core.masks import MaskSpec, attention_mask
from encoder_core.parameters import Parameters, check_parameters, draw_parameters
from encoder_core.positions import sinusoids
from encoder_core.program import run_batch, stack_parameters
from encoder_core.recipes import find_recipe
from encoder_core.tokenizer import TokenBatch, WordTokenizer
from encoder_core.trace import EncoderTrace

Inputs = str | Sequence[str] | TokenBatch | Shaped[np.ndarray, "..."]


def warm_up(seed: int = 0) -> None:
    """Compile the programs of every capacity and draw the parameters of `seed`, so that nobody waits for it later."""
    for capacity in CAPACITIES:
        config = EncoderConfig(
            max_len=capacity.seq,
            d_model=capacity.d_model,
            num_heads=capacity.num_heads,
            d_ff=capacity.d_ff,
            num_layers=capacity.num_layers,
        )
        Encoder.random(config, seed).trace(np.zeros((1, capacity.seq), np.int32))


class _Embeddings(NamedTuple):
    tokens: tuple[tuple[str, ...], ...]
    ids: Int[np.ndarray, "batch seq"] | None
    real: Bool[np.ndarray, "batch seq"]
    rows: Float[np.ndarray, "batch seq d_model"]


class Encoder:
    """A Transformer encoder with its parameters. It never changes, and is safe to share between threads."""

    def __init__(self, config: EncoderConfig, parameters: Parameters, tokenizer: WordTokenizer | None = None) -> None:
        self.config = config
        self.tokenizer = tokenizer
        self._parameters = parameters
        self._states: dict[Capacity, nnx.State] = {}
        for array in parameters.values():
            array.setflags(write=False)

    @classmethod
    def random(cls, config: EncoderConfig, seed: int = 0, *, tokenizer: WordTokenizer | None = None) -> "Encoder":
        """An encoder with parameters drawn from `seed` (see `draw_parameters`).

        Without a tokenizer, the vocabulary is made anew from each text it is given.
        """
        return cls(config, draw_parameters(config, seed), tokenizer)

    @classmethod
    def recipe(cls, name: str, variant: str = "as intended", seed: int = 0) -> "Encoder":
        """The model of a tutorial (see `encoder_core.recipes`), with parameters drawn from `seed`.

        Raises ValueError that lists the names where the recipe or the variant is unknown.
        """
        recipe = find_recipe(name)
        return cls(recipe.config(variant), recipe.parameters(variant, seed))

    @classmethod
    def from_parameters(
        cls,
        config: EncoderConfig,
        parameters: Mapping[str, Float[np.ndarray, "..."]],
        *,
        tokenizer: WordTokenizer | None = None,
    ) -> "Encoder":
        """An encoder with the given parameters: a flat dict as `parameters()` returns it.

        Raises ValueError naming what is missing, unknown, misshapen or not finite.
        """
        return cls(config, check_parameters(config, parameters), tokenizer)

    def parameters(self) -> Parameters:
        """Name -> read-only float32 array, in the order of the forward pass. A kernel is (inputs, outputs)."""
        return dict(self._parameters)

    @property
    def parameters_by_part(self) -> dict[str, int]:
        """How many parameters each part has."""
        return cost.parameters_by_part(self.config)

    @property
    def num_parameters(self) -> int:
        """How many parameters there are in all."""
        return sum(self.parameters_by_part.values())

    @property
    def num_bytes(self) -> int:
        """Bytes of all parameters as float32."""
        return self.num_parameters * cost.BYTES_PER_PARAMETER

    def flops(self, seq: int, batch: int = 1) -> int:
        """Floating-point operations of a forward pass over `batch` sentences of `seq` tokens:
        L (8 n d qkv + 4 n^2 qkv + 4 n d d_ff) a sentence; see `cost.flops_by_part` for the parts."""
        return sum(cost.flops_by_part(self.config, seq, batch).values())

    def position_encoding(self, seq: int) -> Float[np.ndarray, "seq d_model"]:
        """What is added to the first `seq` tokens: sinusoids, rows of a learned table, or zeros."""
        match self.config.positions:
            case "sinusoidal":
                return sinusoids(
                    seq, self.config.d_model, self.config.position_layout, self.config.position_frequencies
                )
            case "learned":
                return self._parameters["position_embedding"][:seq]
            case _:
                return np.zeros((seq, self.config.d_model), np.float32)

    def trace(self, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = ()) -> EncoderTrace:
        """Run the encoder and return every intermediate result.

        inputs  a string, several strings (a padded batch), a batch that the tokenizer made, integer ids
                (batch, seq), or embeddings (batch, seq, d_model), which take the place of the looked-up rows.
        mask    None, "causal", "padding", "causal+padding", or an array of True (may attend) and False of
                shape (seq, seq), (batch, seq, seq), (batch, 1, seq) or (batch, heads, seq, seq).
        edits   what-if changes, see `encoder_core.edits`; among them `Dropout`, which is training mode.

        Text longer than `config.max_len` tokens is cut, with a warning. Raises ValueError for anything else that
        does not fit the model.
        """
        found = self._embeddings(inputs)
        batch, seq, d_model = found.rows.shape
        allowed = attention_mask(mask, found.real, self.config.num_heads)
        scale = embedding_factors(d_model)[self.config.embedding_scale]
        position_encoding = self.position_encoding(seq)
        scaled, embedded = embed(found.rows, scale, position_encoding)
        kept = draw_kept(self.config, edits, batch, seq)
        if kept is not None:
            embedded = drop(embedded, kept.embedded, kept.scale)
        capacity = capacity_for(self.config, seq)
        output, layers = run_batch(self._state_at(capacity), embedded, allowed, self.config, capacity, edits, kept)
        logits = self._logits(output)
        for array in (found.ids, found.real, found.rows, scaled, position_encoding, embedded, logits):
            if array is not None:
                array.setflags(write=False)
        return EncoderTrace(
            tokens=found.tokens,
            ids=found.ids,
            real=found.real,
            mask=allowed,
            token_embedding=found.rows,
            scaled_embedding=scaled,
            position_encoding=position_encoding,
            embedded=embedded,
            layers=layers,
            output=output,
            logits=logits,
            kept=kept,
        )

    def _state_at(self, capacity: Capacity) -> nnx.State:
        # Two threads may both fill it; they would fill in the same.
        if capacity not in self._states:
            self._states[capacity] = stack_parameters(self._parameters, self.config, capacity)
        return self._states[capacity]

    def _embeddings(self, inputs: Inputs) -> _Embeddings:
        if isinstance(inputs, TokenBatch):
            return self._from_ids(inputs.ids)._replace(tokens=inputs.tokens, real=inputs.real.copy())
        if _is_text(inputs):
            return self._from_text(inputs)
        array = np.asarray(inputs)
        if array.ndim == 2 and np.issubdtype(array.dtype, np.integer):
            return self._from_ids(array)
        if array.ndim == 3 and np.issubdtype(array.dtype, np.floating):
            return self._from_rows(array)
        raise ValueError(
            f"inputs of shape {array.shape} and type {array.dtype} are neither text, nor integer ids (batch, seq), "
            "nor embeddings (batch, seq, d_model)."
        )

    def _from_text(self, texts: str | Sequence[str]) -> _Embeddings:
        limit = self.config.max_len
        tokenizer = self.tokenizer or WordTokenizer.from_texts(texts, max_len=limit, max_vocab=self.config.vocab_size)
        batch = tokenizer(texts, max_len=limit)
        if any(batch.cut):
            warnings.warn(f"text cut at max_len={limit} tokens: {max(batch.cut)} left out.", stacklevel=4)
        return self._embeddings(batch)

    def _from_ids(self, ids: Int[np.ndarray, "batch seq"]) -> _Embeddings:
        self._require_length(ids.shape)
        vocab = self.config.vocab_size
        if ids.min() < 0 or ids.max() >= vocab:
            raise ValueError(f"ids from {ids.min()} to {ids.max()} are not all within 0 to {vocab - 1} (vocab_size).")
        rows = lookup(self._parameters["token_embedding"], ids)
        return _Embeddings((), ids.astype(np.int32), np.ones(ids.shape, bool), rows)

    def _from_rows(self, rows: Float[np.ndarray, "batch seq d_model"]) -> _Embeddings:
        self._require_length(rows.shape)
        if rows.shape[-1] != self.config.d_model:
            raise ValueError(f"embeddings of width {rows.shape[-1]} do not fit d_model={self.config.d_model}.")
        with np.errstate(over="ignore"):
            rows = rows.astype(np.float32)
        if not np.isfinite(rows).all():
            raise ValueError("the embeddings hold values that are not finite in float32.")
        return _Embeddings((), None, np.ones(rows.shape[:2], bool), rows)

    def _require_length(self, shape: tuple[int, ...]) -> None:
        batch, seq = shape[:2]
        if batch < 1 or not 1 <= seq <= self.config.max_len:
            raise ValueError(
                f"inputs of shape {shape}: batch must be at least 1 and seq 1 to {self.config.max_len} (max_len)."
            )

    def _logits(self, output: Float[np.ndarray, "batch seq d_model"]) -> Float[np.ndarray, "batch seq vocab"] | None:
        if not self.config.output_head:
            return None
        logits = output @ self._parameters["output_head.kernel"]
        return logits + self._parameters.get("output_head.bias", np.float32(0))


def _is_text(inputs: object) -> TypeGuard[str | Sequence[str]]:
    return isinstance(inputs, str) or (isinstance(inputs, Sequence) and all(isinstance(i, str) for i in inputs))
