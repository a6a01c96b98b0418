"""Transitions of the stages before the first layer: map, embedding, positions."""

import numpy as np

from dashboard.lessons.transitions.transition import Transition, Why, experiment, tokens_text
from dashboard.models.model import Model
from encoder_core.inputs.masks import tells_order
from encoder_core.inputs.tokenizer import PAD
from encoder_core.support.wording import format_count


def encoder_map(model: Model) -> Transition:
    """The whole encoder."""
    return Transition(
        f"We have {tokens_text(model)} and want a [[vector]] of {format_count(model.config.d_model, 'number')} for "
        "each "
        "[[token]], which can depend on every token that it may attend to: each card shows a tensor on the way there; "
        "click it to open its stage.",
        f"The next stage needs {tokens_text(model)}{', each' if model.batch.ids.size > 1 else ''} with an integer id.",
    )


def embedding(model: Model) -> Transition:
    """From ids to rows of the embedding table."""
    vocab, d_model = model.parameters["token_embedding"].shape
    numbers = format_count(d_model, "number")
    return Transition(
        f"We have {tokens_text(model)}{_padding_text(model)}, but an encoder computes with vectors: the integer **id** "
        "of a [[token]] selects"
        f" its row of {numbers} in the [[embedding]] table E of {format_count(vocab, 'row')}.",
        f"The next stage needs these rows of {numbers}, which do not say where a token stands.",
        "Why a table?",
        [
            Why(
                "Why a row of a table, and not the id itself?",
                "An id is a name: that one id is larger than another means nothing. Rows can be similar to each other "
                "in some dimensions and different in others, and training can change each of their numbers. To look "
                f"up a row is the same as to multiply a one-hot vector of {format_count(vocab, 'number')} by the "
                "table, and "
                "costs much less.",
                experiment("one-hot-lookup"),
            )
        ],
    )


def positions(model: Model) -> Transition:
    """From rows without an order to the input of the first layer."""
    config, numbers = model.config, format_count(model.config.d_model, "number")
    has_none = config.positions == "none"
    if has_none:
        opening = (
            f"A token has the same row of {numbers} wherever it stands: this model adds no [[position encoding]], so "
            "without a [[mask]] that hides keys by their place (causal, random or custom), its [[attention]] cannot "
            "use the order of the tokens."
        )
    else:
        opening = (
            f"A token has the same row of {numbers} wherever it stands: so that the encoder can use the order, each "
            "position has a vector of its own, its [[position encoding]], which is added to the token's row."
        )
    if config.embedding_norm:
        opening += " A [[layer norm]] of the sum precedes the first layer."
    is_pre = config.norm == "pre"
    return Transition(
        opening,
        f"The next stage needs a vector of {numbers} for each token, the input of layer 1"
        + (", which norm1 normalises first in this pre-norm model." if is_pre else "."),
        "Why positions?",
        [
            Why(
                "Why add positions?",
                "Attention is a sum over the keys, and a sum has no order: without positions and without a mask "
                "that hides keys by their place (causal, random or custom), shuffled tokens give the same outputs, "
                "shuffled in the same way. “The cat sees the dog” and “the dog sees the cat” would have the "
                "same vectors. "
                + (
                    "With positions, the same word in another place gives another vector."
                    if not has_none
                    else "This model adds no positions, but its mask can make the order matter."
                    if _mask_tells_order(model)
                    else "This model adds no positions, and its mask treats all places alike."
                    if model.settings.has_custom_mask
                    else "This model is an example: it adds no positions."
                ),
                experiment("word-order"),
            )
        ],
    )


def _padding_text(model: Model) -> str:
    """What fills up shorter sentences, if anything does."""
    has_padding = any(PAD in tokens for tokens in model.batch.tokens)
    return f", filled up with [[{PAD}]]" if has_padding else ""


def _mask_tells_order(model: Model) -> bool:
    """Whether the mask differs for words in another order: it is compared with two permutations of itself, which
    generate all others. Padding keeps its place; what a recipe calls padding can be random keys."""
    for mask, real in zip(model.trace.mask, model.batch.real, strict=True):
        words = np.arange(len(real)) if model.settings.recipe else np.flatnonzero(real)
        for permuted in (np.roll(words, 1), np.concatenate([words[1::-1], words[2:]])):
            order = np.arange(len(real))
            order[words] = permuted
            if tells_order(mask, order):
                return True
    return False
