"""The public face: an encoder that shows everything it computes."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from flax import nnx
from jaxtyping import Float

from encoder_core import cost
from encoder_core.capacity import Capacity, capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, Effects, effects_of
from encoder_core.edits.effects import first_changed_layer
from encoder_core.entering import Entering, enter
from encoder_core.inputs import Inputs, ReadInputs, read_inputs
from encoder_core.masks import MaskSpec
from encoder_core.memory import give_back_freed
from encoder_core.overflow import check_numbers
from encoder_core.parameters import Parameters, check_parameters, draw_parameters, parameter_shapes
from encoder_core.positions import sinusoids
from encoder_core.pretrained import MAX_BYTES, Progress, find_model, open_model
from encoder_core.program import parameters_in, run_batch, run_output, stack_parameters
from encoder_core.recipes import find_recipe
from encoder_core.run import Run
from encoder_core.tokenizer import Tokenizer
from encoder_core.trace import EncoderTrace


class Encoder:
    """A Transformer encoder with its parameters. It never changes, and is safe to share between threads."""

    def __init__(self, config: EncoderConfig, parameters: Parameters, tokenizer: Tokenizer | None = None) -> None:
        self.config = config
        self.tokenizer = tokenizer
        self._parameters = parameters
        self._states: dict[Capacity, nnx.State] = {}
        for array in parameters.values():
            array.setflags(write=False)

    @classmethod
    def random(cls, config: EncoderConfig, seed: int = 0, *, tokenizer: Tokenizer | None = None) -> "Encoder":
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
        tokenizer: Tokenizer | None = None,
    ) -> "Encoder":
        """An encoder with the given parameters: a flat dict as `parameters()` returns it.

        Raises ValueError naming what is missing, unknown, misshapen or not finite.
        """
        return cls(config, check_parameters(config, parameters), tokenizer)

    @classmethod
    def pretrained(
        cls,
        name_or_folder: str | Path,
        *,
        max_len: int = 64,
        allowed: Collection[str] | None = None,
        max_bytes: int = MAX_BYTES,
        offline: bool = False,
        progress: Progress | None = None,
    ) -> "Encoder":
        """A trained encoder of the BERT family, with its own WordPiece tokenizer.

        It is taken from the first of: a folder of this path with config.json, model.safetensors and tokenizer.json;
        an installed package that holds the model; what was downloaded before; the Hugging Face hub.

        max_len    longest text in pieces; fewer where the model has fewer positions
        allowed    the names that may be downloaded; None allows any
        max_bytes  a download larger than this is refused
        offline    True: nothing is downloaded
        progress   called with the bytes received and all bytes; an exception that it raises ends the download

        Raises PretrainedError (a ValueError), in one sentence that says what is wrong.
        """
        folder = find_model(name_or_folder, allowed, max_bytes, offline, progress)
        with open_model(folder, max_len) as (config, tensors, tokenizer):
            capacity = capacity_for(config, config.max_len)
            state = stack_parameters(tensors, config, capacity)
            parameters = parameters_in(state, tensors, config, capacity)
        encoder = cls(config, parameters, tokenizer)
        encoder._states[capacity._replace(seq=0)] = state
        give_back_freed()
        return encoder

    def with_config(
        self, config: EncoderConfig, new: Mapping[str, Float[np.ndarray, "..."]] | None = None
    ) -> "Encoder":
        """The same parameters, not copied, in another configuration of the same sizes, as far as that has them.

        new  for those that this encoder has not got
        """
        parameters = {**(new or {}), **self._parameters}
        return Encoder(config, {name: parameters[name] for name in parameter_shapes(config)}, self.tokenizer)

    def warm_up(self) -> None:
        """Compile the programs of this encoder, for short and for long texts, so that nobody waits for it later."""
        capacities = {capacity_for(self.config, seq): seq for seq in range(1, self.config.max_len + 1)}
        for seq in capacities.values():
            self.trace(np.zeros((1, seq), np.int32))
        give_back_freed()

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
        """Run the encoder and return every intermediate result: the trace of `run`, with the same arguments."""
        read = read_inputs(inputs, self.config, self._table, self.tokenizer)
        return self._run(read, mask, edits).trace

    def run(self, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = ()) -> Run:
        """Run the encoder and return every intermediate result, with the parameters and edits it was computed from.

        inputs  a string, several strings (a padded batch), a batch that the tokenizer made, integer ids
                (batch, seq), or embeddings (batch, seq, d_model), which take the place of the looked-up rows.
        mask    None, "causal", "padding", "causal+padding", or an array of True (may attend) and False of
                shape (seq, seq), (batch, seq, seq), (batch, 1, seq) or (batch, heads, seq, seq).
        edits   what-if changes, see `encoder_core.edits` for their kinds and the order in which they take effect;
                among them `Dropout`, which is training mode.

        Text longer than `config.max_len` tokens is cut, with a warning. Raises ValueError for anything else that
        does not fit the model, and NumbersTooLarge (a ValueError) where edits make numbers overflow float32.
        """
        read = read_inputs(inputs, self.config, self._table, self.tokenizer)
        return self._run(read, mask, edits)

    def _run(self, read: ReadInputs, mask: MaskSpec, edits: Sequence[Edit]) -> Run:
        effects = effects_of(edits, self.config, *read.real.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # `check_numbers` says it in a sentence
            run = Run(self._trace(read, mask, effects), self.config, self.parameters(), effects)
            if edits:
                check_numbers(run)
        return run

    def _trace(self, read: ReadInputs, mask: MaskSpec, effects: Effects) -> EncoderTrace:
        found = self._enter(read, mask, effects)
        capacity = capacity_for(self.config, found.embedded.shape[1])
        output, layers = run_batch(
            self._state_at(capacity), found.embedded, found.mask, self.config, capacity, effects, found.kept
        )
        logits = self._logits(output)
        arrays = (found.read.ids, found.read.real, found.read.rows, *found.arrays, logits)
        for array in arrays:
            if array is not None:
                array.setflags(write=False)
        return EncoderTrace(
            tokens=found.read.tokens,
            ids=found.read.ids,
            real=found.read.real,
            mask=found.mask,
            token_embedding=found.read.rows,
            scaled_embedding=found.scaled,
            position_encoding=found.position_encoding,
            embedded=found.embedded,
            layers=layers,
            output=output,
            logits=logits,
            kept=found.kept,
            embedding_sum=found.embedding_sum,
        )

    def outputs(
        self,
        inputs: Inputs,
        mask: MaskSpec = None,
        edits: Sequence[Edit] = (),
        *,
        what_ifs: Sequence[Sequence[Edit]],
        sentence: int = 0,
    ) -> Float[np.ndarray, "run seq d_model"]:
        """The output of one sentence: first with `edits` alone, then with each of the `what_ifs` on top of them.

        The same numbers as `trace(inputs, mask, [*edits, *what_if]).output[sentence]`, in less time: no intermediate
        result is kept, and a what-if is run from the first block that it changes. Raises ValueError where `trace`
        refuses the input, the mask or the edits, and where the batch has no such sentence; numbers that overflow are
        not looked for.
        """
        read = read_inputs(inputs, self.config, self._table, self.tokenizer)
        batch, seq = read.real.shape
        if not 0 <= sentence < batch:
            raise ValueError(f"sentence={sentence!r} is not one of 0 to {batch - 1}.")
        capacity = capacity_for(self.config, seq)
        state = self._state_at(capacity)
        streams = np.empty((0, seq, self.config.d_model), np.float32)  # what enters each block, with `edits` alone
        outputs = np.empty((1 + len(what_ifs), seq, self.config.d_model), np.float32)
        for run, what_if in enumerate([(), *what_ifs]):
            effects = effects_of([*edits, *what_if], self.config, batch, seq)
            found = self._enter(read, mask, effects)
            first = first_changed_layer(what_if)
            stream = streams[first] if first else found.embedded[sentence]
            outputs[run], entering = run_output(
                state, stream, found.mask[sentence], self.config, capacity, effects, found.kept, sentence, first
            )
            if run == 0:
                streams = entering
        outputs.setflags(write=False)
        return outputs

    def _enter(self, read: ReadInputs, mask: MaskSpec, effects: Effects) -> Entering:
        return enter(read, mask, effects, self.config, self._parameters, self.position_encoding(read.rows.shape[1]))

    @property
    def _table(self) -> Float[np.ndarray, "vocab d_model"]:
        return self._parameters["token_embedding"]

    def _state_at(self, capacity: Capacity) -> nnx.State:
        # Two threads may both fill it; they would fill in the same. No parameter depends on the length of the text.
        widths = capacity._replace(seq=0)
        if widths not in self._states:
            self._states[widths] = stack_parameters(self._parameters, self.config, capacity)
        return self._states[widths]

    def _logits(self, output: Float[np.ndarray, "batch seq d_model"]) -> Float[np.ndarray, "batch seq vocab"] | None:
        if not self.config.output_head:
            return None
        logits = output @ self._parameters["output_head.kernel"]
        return logits + self._parameters.get("output_head.bias", np.float32(0))
