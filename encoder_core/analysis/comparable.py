"""What traces need for some measures: chained layers, one vocabulary, no attention to padding."""

import numpy as np

from encoder_core.inputs.tokenizer import UNK_ID
from encoder_core.support.validation import require_choice
from encoder_core.trace import EncoderTrace, require_trace


def require_chained_trace(trace: EncoderTrace, *, allow_unchained: bool) -> None:
    """Raises ValueError for layers that are not chained: with attention_read_out="input", the trace shows each layer
    applied to the embedded input, so its layers are no steps from one to the next.

    allow_unchained  True: such layers are measured as if they were chained; the caller says so beside the result
    """
    require_choice("allow_unchained", allow_unchained, (True, False))
    if not allow_unchained and not _has_chained_layers(trace):
        raise ValueError(
            'a trace of attention_read_out="input" is invalid: each of its layers reads the embedded input. Allowed '
            "are traces whose layers read the output of the layer before; allow_unchained=True measures the others as "
            "if they did."
        )


def _has_chained_layers(trace: EncoderTrace) -> bool:
    """Whether the second layer, whose input says it for all, reads the output of the first. (A trace has no config.)"""
    if len(trace.layers) == 1:
        return True
    first, second = trace.layers[:2]
    reads_input = np.array_equal(second.resid_pre, trace.embedded)
    return not reads_input or np.array_equal(second.resid_pre, first.resid_post)


def require_one_vocabulary(before: EncoderTrace, after: EncoderTrace, sentence: int) -> None:
    """Raises ValueError where an id stands for different words in the two traces, or a word has different ids.

    An encoder without a tokenizer numbers the words of each text anew, so "The black cat" and "A white dog" get the
    same ids and the same vectors. The id of [UNK] stands for all unknown words, and words that differ in upper and
    lower case may be one token: both are allowed. But a word that is unknown in one trace only is of two vocabularies.
    """
    if before.ids is None or after.ids is None or not before.tokens or not after.tokens:
        return
    for place in np.flatnonzero(before.real[sentence] & after.real[sentence]):
        token, other = before.tokens[sentence][place], after.tokens[sentence][place]
        first_id, second_id = int(before.ids[sentence, place]), int(after.ids[sentence, place])
        unnamed = {f"[{first_id}]", f"[{second_id}]"}  # by `ReplaceToken` with an id whose word is not known
        if first_id == second_id == UNK_ID or unnamed & {token, other}:
            continue
        # `ReplaceToken` changes id and word.
        if first_id == second_id and token.casefold() != other.casefold():
            problem = f"{token!r} and {other!r} have the id {first_id}"
        elif first_id != second_id and token == other:
            problem = f"{token!r} has the ids {first_id} and {second_id}"
        else:
            continue
        raise ValueError(
            f"traces of different vocabularies are invalid: {problem}. Allowed are traces of one vocabulary: give the "
            "encoder a tokenizer, such as tokenizer=WordTokenizer.from_texts(texts)."
        )


def attends_to_padding(trace: EncoderTrace) -> bool:
    """Whether the mask lets a token attend to padding. Raises ValueError for what is no trace."""
    require_trace(trace)
    return bool((trace.mask & trace.real[:, None, :, None] & ~trace.real[:, None, None, :]).any())


def require_no_attention_to_padding(trace: EncoderTrace, *, allow_padding: bool) -> None:
    """Raises ValueError for a trace that `attends_to_padding`: its numbers depend on the lengths of other sentences.

    allow_padding  True: such traces are measured, too; the caller says so beside the result
    """
    require_choice("allow_padding", allow_padding, (True, False))
    if not allow_padding and attends_to_padding(trace):
        raise ValueError(
            "a trace whose tokens attend to padding is invalid: its numbers depend on the lengths of the other "
            'sentences. Allowed are traces with a mask such as mask="padding"; allow_padding=True measures the others.'
        )
