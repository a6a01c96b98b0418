"""The tokenizer of the encoders that are trained on a task: it reads the inputs of that task only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import regex

from encoder_core.inputs.tokenizer import (
    PAD,
    TokenBatch,
    TokenizerBase,
    as_sentences,
    length_limit,
    pad_batch,
    split_words,
)
from encoder_core.support.read_only import ReadOnlyMapping

MASK = "[MASK]"
_MASK_SIGN = regex.compile(r"(\[mask\]|_{2,})", regex.IGNORECASE)


def split_letters(text: str) -> list[str]:
    """The characters of a text without spaces, in lower case."""
    return [character for character in text.lower() if not character.isspace()]


def split_plain_words(text: str) -> list[str]:
    """The words of a text, in lower case, without commas and full stops."""
    return [word for word in split_words(text.lower()) if word not in ".,"]


def split_masked_text(text: str) -> list[str]:
    """The words and punctuation of a text in lower case; "[MASK]" and "__" are the token [MASK]."""
    tokens: list[str] = []
    for index, part in enumerate(_MASK_SIGN.split(text)):
        tokens += [MASK] if index % 2 else split_words(part.lower())
    return tokens


# How a text can be split, by the name in the file of an encoder.
SPLITS: Mapping[str, Callable[[str], list[str]]] = ReadOnlyMapping(
    {"letters": split_letters, "plain words": split_plain_words, "masked text": split_masked_text}
)


@dataclass(frozen=True, repr=False)
class TaskTokenizer(TokenizerBase):
    """Reads the input of a task of `encoder_core.training`. It has the interface of `WordTokenizer`.

    vocabulary  the token of each id; the first one is [PAD]
    inputs      the tokens that an input may have
    rule        what an input must look like, as a sentence
    max_len     longest input in tokens
    split       text -> its tokens
    unknown     the token that stands for one that is not among `inputs`; None: such a text is refused
    """

    vocabulary: tuple[str, ...]
    inputs: frozenset[str]
    rule: str
    max_len: int
    split: Callable[[str], list[str]]
    unknown: str | None = None

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text. Raises ValueError, which quotes the rule, for a text that the task cannot read."""
        tokens = self.split(text)
        if not tokens:
            raise ValueError(f"the input has no tokens. {self.rule}")
        for index, token in enumerate(tokens):
            if token not in self.inputs:
                if self.unknown is None:
                    raise ValueError(f"the input has “{token}”. {self.rule}")
                tokens[index] = self.unknown
        return tokens

    def __call__(self, texts: str | Sequence[str], *, max_len: int | None = None) -> TokenBatch:
        """One or several inputs as a batch, padded to the longest; further tokens than `max_len` are left out.

        Raises ValueError for a text that the task cannot read, and unless `max_len` is None or a whole number from 1.
        """
        max_len = length_limit(max_len)
        sentences = [self.tokens(text) for text in as_sentences(texts)]
        limit = self.max_len if max_len is None else min(max_len, self.max_len)
        kept = [sentence[:limit] for sentence in sentences]
        id_of = {token: index for index, token in enumerate(self.vocabulary)}
        ids = [[id_of[token] for token in sentence] for sentence in kept]
        return pad_batch(kept, ids, map(len, sentences), pad_id=id_of[PAD])
