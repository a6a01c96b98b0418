"""The class `Encoder`: a Transformer encoder whose forward pass returns every intermediate result."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from jaxtyping import Float

from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import EncoderConfig, require_config
from encoder_core.edits import Edit, combine_edits
from encoder_core.edits.compatible import IgnoredEdit, compatible_edits, ignored_edit
from encoder_core.edits.effects import require_edits
from encoder_core.encoder.parameterized_model import ParameterizedModel
from encoder_core.engine.executables import compile_in_turn
from encoder_core.engine.inference import compute_outputs, compute_trace
from encoder_core.engine.memory import release_freed_memory
from encoder_core.engine.packing import trace_packed
from encoder_core.explain.overflow import check_numbers
from encoder_core.inputs.masks import MaskName, MaskSpec
from encoder_core.inputs.parsing import Inputs
from encoder_core.inputs.tokenizer import TokenBatch, Tokenizer
from encoder_core.parameters import (
    DrawnParameters,
    Parameters,
    check_extra_parameters,
    check_parameters,
    have_large_numbers,
    select_parameters,
)
from encoder_core.pretrained import MAX_BYTES, find_model, open_model, require_max_len
from encoder_core.recipes import find_recipe
from encoder_core.support.progress import Progress
from encoder_core.support.validation import require_index, require_items, require_type
from encoder_core.trace import EncoderTrace, Run, SentenceTrace

_SIZES = ("vocab_size", "d_model", "qkv_width", "d_ff")  # which configurations of one encoder share


class Encoder(ParameterizedModel):
    """A Transformer encoder with its parameters. It is immutable, and threads can share it.

    The constructor takes the parameters as they are and makes their arrays read-only: it is for parameters that
    nobody changes. `Encoder.from_parameters` checks and copies them.

    Raises ValueError for what is no configuration or tokenizer, for a tokenizer of more than `vocab_size` tokens, and
    where the parameters are not finite float32 arrays of the names and shapes of the configuration.
    """

    @classmethod
    def random(cls, config: EncoderConfig, seed: int = 0, *, tokenizer: Tokenizer | None = None) -> "Encoder":
        """An encoder with random parameters (see `draw_parameters`).

        Without a tokenizer, the vocabulary is made from each text anew: see `run`.
        """
        return cls(config, DrawnParameters(config, seed), tokenizer)

    @classmethod
    def recipe(cls, name: str, variant: str = "as intended", seed: int = 0) -> "Encoder":
        """The model of a tutorial (see `encoder_core.recipes`) with random parameters.

        Raises ValueError that lists the known names where the recipe or the variant is unknown.
        """
        recipe = find_recipe(name)
        encoder = cls(recipe.config(variant), recipe.parameters(variant, seed))
        encoder._makes_vocabulary = True  # the parameters are random
        return encoder

    @classmethod
    def from_parameters(
        cls, config: EncoderConfig, parameters: Parameters, *, tokenizer: Tokenizer | None = None
    ) -> "Encoder":
        """An encoder with these parameters: a dictionary like that of `parameters()`.

        tokenizer  that of the text with which they were trained; without one, the inputs are ids or a `TokenBatch`

        Raises ValueError that names a parameter which is missing or unknown, has the wrong shape or is not finite.
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
        """A trained encoder of the BERT family with its WordPiece tokenizer.

        The model comes from the first of these sources that has it: a folder with config.json, model.safetensors and
        tokenizer.json; an installed package; an earlier download; the Hugging Face hub.

        max_len    longest text in pieces; less where the model has fewer positions
        allowed    names that may be downloaded; None allows all
        max_bytes  largest download
        offline    True: download nothing
        progress   called with the received and the total number of bytes; an exception that it raises ends the download

        A download switches off the hub's protocol Xet for this process, because it cannot be cancelled; the environment
        variable HF_HUB_DISABLE_XET keeps a choice of your own.

        Raises PretrainedError (a ValueError) whose message is one sentence about the problem with the model, and
        ValueError for an argument of another kind.
        """
        max_len = require_max_len(max_len)  # before a download
        folder = find_model(name_or_folder, allowed, max_bytes, offline, progress)
        with open_model(folder, max_len) as model:
            encoder = cls._stacked_now(*model)
        release_freed_memory()
        return encoder

    def with_config(self, config: EncoderConfig, extra_parameters: Parameters | None = None) -> "Encoder":
        """An encoder with another configuration of the same sizes, or of the first layers, which shares the parameters.

        extra_parameters  parameters of the new configuration that this encoder does not have, such as a learned
                          position table for another `max_len`; others are not used

        Where the parameters of this encoder are drawn from a seed (`Encoder.random`), further ones that are not given
        are drawn from the same seed. Raises ValueError for other sizes, and for parameters that are missing, have the
        wrong shape or are not finite.
        """
        require_config(config)
        require_type("extra_parameters", extra_parameters, Mapping | None, "None and dictionaries of arrays")
        for name in _SIZES:
            size, allowed = getattr(config, name), getattr(self.config, name)
            if size != allowed:
                raise ValueError(f"{name}={size} is invalid: allowed is that of this encoder, {allowed}.")
        extra = check_extra_parameters(config, extra_parameters or {})
        encoder = Encoder(config, select_parameters(config, self._parameters, extra), self.tokenizer)
        encoder._makes_vocabulary = self._makes_vocabulary
        encoder._stacked.share_cache(self._stacked)
        # Sets the `cached_property`: the shared parameters of a large model take 18 ms to look through.
        vars(encoder)["_has_large_parameters"] = self._has_large_parameters or have_large_numbers(extra)
        return encoder

    def warm_up(self, *, progress: Progress | None = None) -> None:
        """Compile the programs of this encoder for all text lengths, so that later forward passes compile nothing.

        progress  called with the number of programs compiled and of all; an exception that it raises ends the warm-up

        Raises ValueError for a `progress` that is no function.
        """
        capacities = {capacity_for(self.config, seq): seq for seq in range(1, self.config.max_len + 1)}
        compile_in_turn([partial(self.trace, np.zeros((1, seq), np.int32)) for seq in capacities.values()], progress)
        release_freed_memory()

    def trace(self, inputs: Inputs, mask: MaskSpec = None, edits: Iterable[Edit] = ()) -> EncoderTrace:
        """Every intermediate result of a forward pass: the trace of `run`, with the same arguments. The traces of two
        texts have one vocabulary only where the encoder has a tokenizer."""
        return self.run(inputs, mask, edits).trace

    def run(self, inputs: Inputs, mask: MaskSpec = None, edits: Iterable[Edit] = ()) -> Run:
        """Every intermediate result of a forward pass, with the configuration, parameters and edits.

        inputs  a string, several strings (a padded batch), a `TokenBatch`, integer ids (batch, seq), or embeddings
                (batch, seq, d_model), which replace the looked-up rows.
        mask    None, "causal", "padding", "causal+padding", a `CustomMask`, or an array of True (may attend) and False
                of shape (seq, seq), (batch, seq, seq), (batch, 1, seq) or (batch, heads, seq, seq). None lets tokens
                attend to padding; ids and embeddings do not say what is padding, so they take no name with padding
        edits   changes of the forward pass, see `encoder_core.edits` for their types and order; one of them is
                `Dropout`, training mode.

        Besides the trace, it takes the memory of three sentences at capacity, at most 24 MB each at CAPACITIES.
        Text of more than `config.max_len` tokens is truncated, with a warning. A random encoder without a tokenizer
        makes its vocabulary from each text anew, so that an id stands for another word in another call (pass
        `tokenizer=WordTokenizer.from_texts(texts)` to compare texts); words beyond `vocab_size` become [UNK], with a
        warning. Raises ValueError for other inputs, for text where other parameters have no tokenizer, for a mask or
        edits that do not fit the model, and NumbersTooLarge (a ValueError) where edits, embeddings or parameters beyond
        100 overflow float32.
        """
        parsed = self._parse(inputs)
        effects = combine_edits(edits, self.config, *parsed.real.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # `check_numbers` raises a clear error
            trace = compute_trace(parsed, mask, effects, self._stacked)
            run = Run(trace, self.config, self._parameters, effects)
            # Nothing else makes numbers too large, and the check takes 2 to 5% of a run.
            if effects.edits or parsed.ids is None or self._has_large_parameters:
                check_numbers(run, large_parameters=self._has_large_parameters)
        return run

    def run_with_compatible_edits(
        self, inputs: Inputs, mask: MaskSpec = None, edits: Iterable[Edit] = ()
    ) -> tuple[Run, tuple[IgnoredEdit, ...]]:
        """The run with the edits that can be used together, and one sentence for each edit that is ignored.

        Uses the edits of `compatible_edits`, without the last ones where numbers would overflow float32. Raises
        ValueError for inputs or a mask that do not fit.
        """
        edits = require_edits(edits)
        try:
            return self.run(inputs, mask, edits), ()
        except ValueError:
            unedited = self.run(inputs, mask)  # raises ValueError where the inputs or the mask do not fit
        accepted, problems = compatible_edits(edits, self.config, *unedited.trace.real.shape)
        while accepted:
            try:
                return self.run(inputs, mask, accepted), problems
            except ValueError as error:
                problems = (*problems, ignored_edit(accepted[-1], error))
                accepted = accepted[:-1]
        return unedited, problems

    def outputs_with_edits(
        self,
        inputs: Inputs,
        mask: MaskSpec = None,
        edits: Iterable[Edit] = (),
        *,
        edit_lists: Iterable[Iterable[Edit]],
        sentence: int = 0,
    ) -> Float[np.ndarray, "run seq d_model"]:
        """The output of one sentence: first with `edits` only, then with `edits` and each of the `edit_lists`.

        The numbers are those of `trace(inputs, mask, [*edits, *edit_list]).output[sentence]`, in less time: no other
        tensor is stored, and each run starts at the first layer that its edit list changes. Raises ValueError for
        inputs, a mask, edits or a sentence that do not fit. Numbers that overflow do not raise an error.
        """
        parsed = self._parse(inputs)
        require_index("sentence", sentence, len(parsed.real))
        allowed = "lists of lists of edits, such as [[HeadFactor(0, 0)]]"
        lists = [require_edits(each) for each in require_items("edit_lists", edit_lists, Iterable, allowed)]
        return compute_outputs(parsed, mask, require_edits(edits), lists, sentence, self._stacked)

    def trace_sentences(
        self, batches: Sequence[TokenBatch | str], mask: MaskName | None = None
    ) -> Iterator[SentenceTrace]:
        """The residual stream and the attention weights of many short sentences, one after another.

        The numbers are those of `trace`, in a fraction of the time: several sentences share one forward pass. The
        generator computes a few sentences ahead, so that a caller can pause or stop between them.

        batches  the tokens of one sentence each, without padding; a text is split into its tokens
        mask     None, "causal" or one of the names with padding, which have no further effect

        Raises ValueError for a single sentence that is not in a list, for a batch of several sentences or with padding,
        for ids that are not in the vocabulary, and for more than `config.max_len` tokens. Numbers that overflow do not
        raise an error.
        """
        return trace_packed(self._parse_each(batches), mask, self._stacked)


def require_encoder(encoder: object) -> None:
    """Raises ValueError unless the value is an encoder."""
    require_type("encoder", encoder, Encoder, "encoders, such as Encoder.random(config)")
