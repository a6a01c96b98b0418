"""Text to pieces of words, as BERT reads it (Wu et al. 2016, section 4.1; Devlin et al. 2019, section 3)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from encoder_core.inputs.tokenizer import PAD, TokenBatch, as_sentences
from encoder_core.pretrained.bert import PretrainedError


class WordPieceTokenizer:
    """[CLS], the pieces of the text ("walk", "##ing"), [SEP]; what is in no vocabulary is [UNK].

    The same interface as `WordTokenizer`. It never changes, and is safe to share between threads.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Raises PretrainedError where it has not BERT's special tokens."""
        # What the file says about length holds for its own programs; here the caller says it, a call at a time.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        if tokenizer.encode("").tokens != ["[CLS]", "[SEP]"]:
            raise PretrainedError("the tokenizer does not put [CLS] before a text and [SEP] after it.")
        by_id = {index: piece for piece, index in tokenizer.get_vocab(with_added_tokens=True).items()}
        if sorted(by_id) != list(range(len(by_id))) or PAD not in by_id.values():
            raise PretrainedError(f"the ids of the tokenizer are not 0, 1, 2, ..., or it has no {PAD}.")
        self.vocabulary: tuple[str, ...] = tuple(by_id[index] for index in range(len(by_id)))

    @classmethod
    def from_file(cls, path: Path) -> "WordPieceTokenizer":
        """The tokenizer in a tokenizer.json. Raises PretrainedError where it is damaged or of another kind."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no narrower type
            raise PretrainedError(f"{path.name} cannot be read: {error}.") from error
        kind = type(tokenizer.model).__name__
        if kind != "WordPiece":
            raise PretrainedError(f"{path.name} splits text by {kind}; only WordPiece can be read.")
        return cls(tokenizer)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def id_of(self, piece: str) -> int | None:
        """The id of a piece exactly as the vocabulary has it, or None."""
        return self._tokenizer.token_to_id(piece)

    def pieces(self, text: str) -> tuple[str, ...]:
        """The pieces of a text, without [CLS] and [SEP]."""
        return tuple(self._tokenizer.encode(_readable(text), add_special_tokens=False).tokens)

    def __call__(self, texts: str | Sequence[str], *, max_len: int | None = None) -> TokenBatch:
        """Tokenize one or several texts into a batch, padded to the longest; of one longer than `max_len` pieces, the
        last before [SEP] are left out, and `cut` says how many.

        Raises ValueError where a text has nothing to read.
        """
        ids = []
        for index, text in enumerate(as_sentences(texts)):
            found = self._tokenizer.encode(_readable(text)).ids
            if len(found) <= 2:
                raise ValueError(f"text {index + 1} has no words: at least one letter, digit or sign is needed.")
            ids.append(found)
        kept = [found if max_len is None or len(found) <= max_len else _shortened(found, max_len) for found in ids]
        seq = max(map(len, kept))
        padding = self.id_of(PAD) or 0
        padded = np.array([sentence + [padding] * (seq - len(sentence)) for sentence in kept], np.int32)
        real = np.arange(seq) < np.array([[len(sentence)] for sentence in kept])
        tokens = tuple(tuple(self.vocabulary[index] for index in sentence) for sentence in padded)
        return TokenBatch(tokens, padded, real, tuple(len(i) - len(k) for i, k in zip(ids, kept, strict=True)))


def _readable(text: str) -> str:
    """A lone surrogate is no character, and nothing that can be handed to the library."""
    return text.encode("utf-8", "ignore").decode()


def _shortened(ids: list[int], max_len: int) -> list[int]:
    return ids[: max_len - 1] + ids[-1:]
