"""Masked words: the output of each [MASK] is the word that it hides (Devlin et al. 2019, section 3.1)."""

from functools import cache

import numpy as np
from jaxtyping import Int

from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.task_tokenizer import MASK, split_masked_text
from encoder_core.inputs.tokenizer import PAD, UNK
from encoder_core.training.task import Ids, Mask, Task

MAX_LEN = 20
_FIRST_WORD = 3  # the ids before it are those of [PAD], [UNK] and [MASK]
_HIDDEN, _UNKNOWN = 0.15, 0.02  # fractions of the tokens
_KEPT = 0.1  # fraction of the hidden tokens that the encoder sees all the same, so that it learns to represent words
_SET_ASIDE = 10  # every tenth sentence is not trained on


WORDS = tuple(sorted({word for sentence in load_sentences() for word in split_masked_text(sentence)}))


@cache
def _sentence_ids() -> Int[np.ndarray, "sentence seq"]:
    """The ids of all sentences, padded with 0."""
    id_of = {word: index for index, word in enumerate(WORDS, _FIRST_WORD)}
    ids = np.zeros((len(load_sentences()), MAX_LEN), np.int32)
    for row, sentence in zip(ids, load_sentences(), strict=True):
        words = split_masked_text(sentence)
        row[: len(words)] = [id_of[word] for word in words]
    return ids


def unseen_sentences() -> tuple[str, ...]:
    """The sentences of the text that are not trained on."""
    return tuple(load_sentences()[::_SET_ASIDE])


def draw(generator: np.random.Generator, count: int, max_len: int) -> tuple[Ids, Mask]:
    """Random sentences of the text, nine tenths of it."""
    is_set_aside = np.arange(len(load_sentences())) % _SET_ASIDE == 0
    return _choose(generator, _sentence_ids()[~is_set_aside], count, max_len)


def draw_unseen(generator: np.random.Generator, count: int, max_len: int) -> tuple[Ids, Mask]:
    """Random sentences of the other tenth, every tenth of the text."""
    return _choose(generator, _sentence_ids()[::_SET_ASIDE], count, max_len)


def _choose(
    generator: np.random.Generator, sentences: Int[np.ndarray, "sentence seq"], count: int, max_len: int
) -> tuple[Ids, Mask]:
    ids = sentences[generator.integers(0, len(sentences), count), :max_len]
    return ids, ids > 0


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The words themselves."""
    return ids, real


def hide(generator: np.random.Generator, ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """Some tokens become [MASK], at least one in each sentence; a few others become [UNK]."""
    chance = np.where(real, generator.random(ids.shape), 1.0)
    hidden = real & ((chance < _HIDDEN) | (chance == chance.min(axis=1, keepdims=True)))
    seen = hidden & (generator.random(ids.shape) < _KEPT)
    unknown = real & ~hidden & (generator.random(ids.shape) < _UNKNOWN)
    ids = np.where(hidden & ~seen, 2, np.where(unknown, 1, ids)).astype(ids.dtype)
    return ids, hidden


TASK = Task(
    name="words",
    title="Masked words",
    goal=f"The output of each {MASK} is the word that it hides.",
    look_for="Heads in which a masked word attends to the words that decide it: a verb to its subject, a pronoun to "
    "its noun, a noun to the verb before it.",
    examples=(
        "The cat drinks [MASK].",
        "The black cat jumped on the sofa, because [MASK] was tired.",
        "The teacher reads a [MASK].",
        "Two [MASK] swim in the river.",
    ),
    vocabulary=(PAD, UNK, MASK, *WORDS),
    inputs=(UNK, MASK, *WORDS),
    rule=f"Any sentence of up to {MAX_LEN} words; {MASK} or __ stands for a hidden word. The encoder knows "
    f"{len(WORDS)} simple words and signs; every other word is {UNK}.",
    max_len=MAX_LEN,
    draw=draw,
    draw_unseen=draw_unseen,
    solve=solve,
    hide=hide,
    split=split_masked_text,
    unknown=UNK,
    counted="The words that were hidden count, one in ten of which the encoder sees all the same.",
)
