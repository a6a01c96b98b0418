"""Forward passes over many short sentences: several of them side by side in one pass.

A program computes as many tokens as its capacity has, however short the sentence is. Sentences share a pass under a
mask that lets no token attend to another sentence. Each keeps its own positions, which are added before.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import get_args

import numpy as np
from jaxtyping import Bool

from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.program import run_batch
from encoder_core.engine.stacked_parameters import StackedParameters
from encoder_core.inputs.embedding import EmbeddedInput, embed_inputs
from encoder_core.inputs.masks import MaskName
from encoder_core.inputs.parsing import ParsedInputs
from encoder_core.support.read_only import make_read_only
from encoder_core.support.validation import require_choice
from encoder_core.trace import SentenceTrace


def trace_packed(
    sentences: Sequence[ParsedInputs], mask: MaskName | None, stacked: StackedParameters
) -> Iterator[SentenceTrace]:
    """The trace of each sentence, in order.

    Raises ValueError unless each input is one sentence without padding, and for a mask without a name.
    """
    require_choice("mask", mask, (None, *get_args(MaskName)))
    for index, sentence in enumerate(sentences):
        if len(sentence.tokens) != 1 or not sentence.real.all():
            raise ValueError(f"batches[{index}] is invalid: allowed are the tokens of one sentence, without padding.")
    return _trace_packs(sentences, mask, stacked)


def _trace_packs(
    sentences: Sequence[ParsedInputs], mask: MaskName | None, stacked: StackedParameters
) -> Iterator[SentenceTrace]:
    lengths = [sentence.rows.shape[1] for sentence in sentences]
    for pack in _packs(lengths, _pass_length(stacked.config, max(lengths, default=1))):
        embedded = [embed_inputs(sentences[i], mask, NO_EFFECTS, stacked.config, stacked.parameters) for i in pack]
        yield from _trace_pack(embedded, stacked)


def _pass_length(config: EncoderConfig, longest: int) -> int:
    """The number of tokens of one pass: as many as the program of the longest sentence computes in any case."""
    capacity = capacity_for(config, longest)
    return config.max_len if capacity.exact else capacity.seq


def _packs(lengths: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Neighbouring indices whose lengths add up to at most `limit`; a longer sentence is alone."""
    pack: list[int] = []
    for index, length in enumerate(lengths):
        if pack and sum(lengths[i] for i in pack) + length > limit:
            yield pack
            pack = []
        pack.append(index)
    if pack:
        yield pack


def _trace_pack(sentences: Sequence[EmbeddedInput], stacked: StackedParameters) -> Iterator[SentenceTrace]:
    config = stacked.config
    rows = np.concatenate([sentence.embedded for sentence in sentences], axis=1)
    visible = _block_diagonal([sentence.mask[0, 0] for sentence in sentences])
    capacity = capacity_for(config, len(visible))
    mask = np.broadcast_to(visible, (1, config.num_heads, *visible.shape))
    _, layers = run_batch(stacked.for_capacity(capacity), rows, mask, config, capacity)
    stream = np.stack([rows[0], *(layer.resid_post[0] for layer in layers)])
    patterns = np.stack([layer.pattern[0] for layer in layers])
    places = _places([sentence.embedded.shape[1] for sentence in sentences])
    for sentence, place in zip(sentences, places, strict=True):
        trace = SentenceTrace(  # of copies: a view would keep the arrays of the whole pass in memory
            tokens=sentence.inputs.tokens[0],
            stages=stream[:, place].copy(),
            patterns=patterns[:, :, place, place].copy(),
            visible=visible[place, place].copy(),
        )
        make_read_only(trace)
        yield trace


def _block_diagonal(blocks: Sequence[Bool[np.ndarray, "_seq _seq"]]) -> Bool[np.ndarray, "token token"]:
    """The blocks along the diagonal of a mask, with False everywhere else."""
    size = sum(map(len, blocks))
    joined = np.zeros((size, size), bool)
    for block, place in zip(blocks, _places([len(block) for block in blocks]), strict=True):
        joined[place, place] = block
    return joined


def _places(lengths: Sequence[int]) -> list[slice]:
    """The places of parts of these lengths side by side."""
    return [slice(end - length, end) for end, length in zip(accumulate(lengths), lengths, strict=True)]
