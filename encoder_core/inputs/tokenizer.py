"""A tokenizer for words and punctuation whose vocabulary is made from the text itself."""

import unicodedata
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import regex
from jaxtyping import Bool, Int

from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_integer, require_items

PAD, UNK = "[PAD]", "[UNK]"
UNK_ID = 1  # in the vocabulary of a `WordTokenizer`

_JOINERS = "\u200c\u200d"  # zero-width joiners: invisible parts of words and emoji
_LETTERS = rf"[\p{{L}}\p{{M}}\p{{N}}_{_JOINERS}]+"
# A word (letters, marks and digits of any script, apostrophes inside it), else one grapheme: "!", an emoji family.
_TOKEN = regex.compile(rf"{_LETTERS}(?:['\u2019]{_LETTERS})*|(?!\s)\X")


@compared_by_identity
class TokenBatch(NamedTuple):
    """Sentences as one padded batch.

    tokens     the token strings of each sentence, [PAD] included; batch x seq. `WordTokenizer` gives a word that is
               not in its vocabulary the id of [UNK]; here, it is still the word
    ids        (batch, seq) integers below the vocabulary's size
    real       (batch, seq) True where the token is not padding
    truncated  number of tokens that were left out of each sentence because it was too long
    """

    tokens: tuple[tuple[str, ...], ...]
    ids: Int[np.ndarray, "batch seq"]
    real: Bool[np.ndarray, "batch seq"]
    truncated: tuple[int, ...]


def pad_batch(
    tokens: Sequence[Sequence[str]], ids: Sequence[Sequence[int]], lengths: Iterable[int], *, pad_id: int
) -> TokenBatch:
    """Sentences as a batch, padded to the longest.

    tokens, ids  of each sentence, without those that were left out
    lengths      of each sentence, with those that were left out
    """
    kept = [len(sentence) for sentence in tokens]
    seq = max(kept)
    return TokenBatch(
        tuple((*sentence, *(PAD,) * (seq - len(sentence))) for sentence in tokens),
        np.array([[*sentence, *(pad_id,) * (seq - len(sentence))] for sentence in ids], np.int32),
        np.arange(seq) < np.array(kept)[:, None],
        tuple(length - count for length, count in zip(lengths, kept, strict=True)),
    )


@runtime_checkable
class Tokenizer(Protocol):
    """The interface of tokenizers; `vocabulary` is the token of each id."""

    @property
    def vocabulary(self) -> tuple[str, ...]: ...

    def __len__(self) -> int: ...

    def __call__(self, texts: str | Sequence[str], *, max_len: int | None = None) -> TokenBatch: ...


class TokenizerBase:
    """What all tokenizers of this package share: they are as long as their vocabulary."""

    vocabulary: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={len(self)})"

    def __len__(self) -> int:
        return len(self.vocabulary)


class WordTokenizer(TokenizerBase):
    """A vocabulary of [PAD], [UNK], then words and punctuation in order of first appearance."""

    def __init__(self, words: Iterable[str]) -> None:
        """Raises ValueError for a text, whose letters would be the words (`from_texts` takes one), and for a set, which
        has no order."""
        allowed = "lists of words; WordTokenizer.from_texts splits a text"
        if isinstance(words, set | frozenset):
            raise invalid_value("words", words, allowed)
        words = require_items("words", words, str, allowed)
        self.vocabulary = tuple(dict.fromkeys((PAD, UNK, *words)))
        self._id_of = {word: index for index, word in enumerate(self.vocabulary)}

    @classmethod
    def from_texts(
        cls, texts: str | Sequence[str], *, max_len: int | None = None, max_vocab: int | None = None
    ) -> "WordTokenizer":
        """The tokenizer whose vocabulary is the words of `texts`.

        max_len    only the first `max_len` tokens of each text are used
        max_vocab  largest size of the vocabulary, including [PAD] and [UNK], which it has in any case

        Raises ValueError for what is no text, and unless the limits are None or whole numbers from 1.
        """
        max_len, max_vocab = length_limit(max_len), length_limit(max_vocab, name="max_vocab")
        words = dict.fromkeys(word for text in as_sentences(texts) for word in split_words(text)[:max_len])
        return cls(list(words)[: None if max_vocab is None else max(0, max_vocab - 2)])

    def __call__(self, texts: str | Sequence[str], *, max_len: int | None = None) -> TokenBatch:
        """One or several sentences as a batch, truncated to `max_len` tokens and padded to the longest.

        Raises ValueError where a text has no tokens, and unless `max_len` is None or a whole number from 1.
        """
        max_len = length_limit(max_len)
        words = [split_words(text) for text in as_sentences(texts)]
        for index, sentence in enumerate(words):
            if not sentence:
                raise ValueError(f"text {index + 1} has no words: at least one letter, digit or sign is needed.")
        kept = [sentence[:max_len] for sentence in words]
        unknown = self._id_of[UNK]
        ids = [[self._id_of.get(token, unknown) for token in sentence] for sentence in kept]
        return pad_batch(kept, ids, map(len, words), pad_id=self._id_of[PAD])


def split_words(text: str) -> list[str]:
    """The words and punctuation signs of `text`, in any script, without control characters."""
    visible = "".join(
        " " if char.isspace() else char
        for char in unicodedata.normalize("NFC", text)
        if char.isspace() or char in _JOINERS or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return [word for word in _TOKEN.findall(visible) if word.strip(_JOINERS)]


def as_sentences(texts: str | Sequence[str]) -> list[str]:
    """One or several strings as a list. Raises ValueError for an empty list, and for what is no string."""
    if isinstance(texts, str):
        return [texts]
    if isinstance(texts, Set):  # it has no order
        raise invalid_value("texts", texts, "one string and lists of strings")
    sentences = require_items("texts", texts, str, "one string and lists of strings")
    if not sentences:
        raise ValueError("there is no text: allowed are one string and a list of at least one.")
    return sentences


def length_limit(limit: int | None, least: int = 1, *, name: str = "max_len") -> int | None:
    """The limit as an integer of Python. Raises ValueError unless it is None or a whole number from `least`."""
    return None if limit is None else require_integer(name, limit, least)


def can_tokenize(text: str, tokenizer: Tokenizer | None) -> bool:
    """Whether the tokenizer (None: any `WordTokenizer`) can read the text, or its beginning."""
    if tokenizer is None:
        return bool(split_words(text))
    try:
        tokenizer(text)
    except ValueError:
        return False
    return True


def encodable(text: str) -> str:
    """The text without lone surrogates, which neither a file nor a library in another language can contain."""
    return text.encode("utf-8", "ignore").decode()
