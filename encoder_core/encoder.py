"""The public face: an encoder that shows everything it computes."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from encoder_core import cost
from encoder_core.blocks.capacity import CAPACITIES, capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, effects_of
from encoder_core.edits.effects import first_changed_layer
from encoder_core.edits.fitting import fitting_edits, left_out
from encoder_core.engine.memory import give_back_freed
from encoder_core.engine.program import run_output
from encoder_core.engine.stacked_parameters import StackedParameters, parameters_in, stack_parameters
from encoder_core.engine.traced import traced
from encoder_core.explain.overflow import check_numbers
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.parsing import Inputs, ReadInputs, read_inputs
from encoder_core.inputs.positions import position_encoding
from encoder_core.inputs.tokenizer import Tokenizer
from encoder_core.parameters import Parameters, check_parameters, draw_parameters, parameter_shapes
from encoder_core.pretrained import MAX_BYTES, Progress, find_model, open_model
from encoder_core.recipes import RECIPES, find_recipe
from encoder_core.trace import EncoderTrace, Run


class Encoder:
    """A Transformer encoder with its parameters. It never changes, and is safe to share between threads."""

    def __init__(self, config: EncoderConfig, parameters: Parameters, tokenizer: Tokenizer | None = None) -> None:
        self.config = config
        self.tokenizer = tokenizer
        self._parameters = parameters
        self._stacked = StackedParameters(parameters, config)
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
        encoder._stacked.keep(capacity, state)
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
        return position_encoding(self.config, self._parameters, seq)

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

    def run_with_fitting_edits(
        self, inputs: Inputs, mask: MaskSpec = None, edits: Sequence[Edit] = ()
    ) -> tuple[Run, tuple[str, ...]]:
        """The run with as many edits as can be used together, and a sentence for each that is left out.

        Those of `fitting_edits`, less the newest ones until every number is finite in float32. Raises ValueError for
        inputs or a mask that do not fit.
        """
        try:
            return self.run(inputs, mask, edits), ()
        except ValueError:
            unedited = self.run(inputs, mask)  # raises where the edits are not to blame
        kept, problems = fitting_edits(edits, self.config, *unedited.trace.real.shape)
        while kept:
            try:
                return self.run(inputs, mask, kept), problems
            except ValueError as error:
                problems = (*problems, left_out(kept[-1], error))
                kept = kept[:-1]
        return unedited, problems

    def _run(self, read: ReadInputs, mask: MaskSpec, edits: Sequence[Edit]) -> Run:
        effects = effects_of(edits, self.config, *read.real.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # `check_numbers` says it in a sentence
            trace = traced(read, mask, effects, self.config, self._parameters, self._stacked)
            run = Run(trace, self.config, self.parameters(), effects)
            if edits:
                check_numbers(run)
        return run

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
        state = self._stacked.at(capacity)
        streams = np.empty((0, seq, self.config.d_model), np.float32)  # what enters each block, with `edits` alone
        outputs = np.empty((1 + len(what_ifs), seq, self.config.d_model), np.float32)
        for run, what_if in enumerate([(), *what_ifs]):
            effects = effects_of([*edits, *what_if], self.config, batch, seq)
            found = embed_inputs(read, mask, effects, self.config, self._parameters)
            first = first_changed_layer(what_if)
            stream = streams[first] if first else found.embedded[sentence]
            outputs[run], entering = run_output(
                state, stream, found.mask[sentence], self.config, capacity, effects, found.kept, sentence, first
            )
            if run == 0:
                streams = entering
        outputs.setflags(write=False)
        return outputs

    @property
    def _table(self) -> Float[np.ndarray, "vocab d_model"]:
        return self._parameters["token_embedding"]


def warm_up(seed: int = 0) -> None:
    """Compile every program and draw the parameters of `seed`, so that nobody waits for it later.

    Those are the programs of all capacities, and of the recipes that none of them serves.
    """
    for capacity in CAPACITIES:
        config = EncoderConfig(
            max_len=capacity.seq,
            d_model=capacity.d_model,
            num_heads=capacity.num_heads,
            d_ff=capacity.d_ff,
            num_layers=capacity.num_layers,
        )
        Encoder.random(config, seed).trace(np.zeros((1, capacity.seq), np.int32))
    for name, recipe in RECIPES.items():
        if capacity_for(recipe.config(), recipe.example.seq) not in CAPACITIES:
            inputs, mask, _ = recipe.inputs(seed)
            Encoder.recipe(name, seed=seed).trace(inputs, mask)
