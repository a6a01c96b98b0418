"""BERT's tokenizer: text to pieces of words (Wu et al. 2016, section 4.1; Devlin et al. 2019, section 3)."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tokenizers import Tokenizer

from encoder_core.inputs.tokenizer import (
    PAD,
    TokenBatch,
    TokenizerBase,
    as_sentences,
    encodable,
    length_limit,
    pad_batch,
)
from encoder_core.pretrained.bert import PretrainedError
from encoder_core.support.validation import require_type

SHORTEST = 3  # pieces of a text: [CLS], one of the text, [SEP]


class WordPieceTokenizer(TokenizerBase):
    """Turns a text into [CLS], its pieces ("walk", "##ing") and [SEP]; a word that cannot be split is [UNK].

    It has the interface of `WordTokenizer`. It is immutable and safe to share between threads.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Raises PretrainedError if the tokenizer lacks BERT's special tokens, and ValueError for what is none."""
        require_type("tokenizer", tokenizer, Tokenizer, "tokenizers of the library `tokenizers`")
        tokenizer = Tokenizer.from_str(tokenizer.to_str())  # a copy, because the caller may use the original
        # The file may set a length; here, every call sets its own.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        if tokenizer.encode("").tokens != ["[CLS]", "[SEP]"]:
            raise PretrainedError("the tokenizer does not put [CLS] before a text and [SEP] after it.")
        by_id = {index: piece for piece, index in tokenizer.get_vocab(with_added_tokens=True).items()}
        if sorted(by_id) != list(range(len(by_id))) or PAD not in by_id.values():
            raise PretrainedError(f"the ids of the tokenizer are not 0, 1, 2, ..., or it has no {PAD}.")
        self.vocabulary = tuple(by_id[index] for index in range(len(by_id)))

    @classmethod
    def from_file(cls, path: Path) -> "WordPieceTokenizer":
        """The tokenizer in a tokenizer.json. Raises PretrainedError if it is damaged or not a WordPiece tokenizer."""
        return cls._read(path.name, Tokenizer.from_file, str(path))

    @classmethod
    def from_json(cls, text: str) -> "WordPieceTokenizer":
        """The tokenizer whose `to_json` is this text. Raises PretrainedError as `from_file` does."""
        return cls._read("the text of the tokenizer", Tokenizer.from_str, text)

    @classmethod
    def _read(cls, name: str, read: Callable[[str], Tokenizer], source: str) -> "WordPieceTokenizer":
        try:
            tokenizer = read(source)
        except Exception as error:  # the library raises no narrower type
            raise PretrainedError(f"{name} cannot be read: {error}.") from error
        kind = type(tokenizer.model).__name__
        if kind != "WordPiece":
            raise PretrainedError(f"{name} splits text by {kind}; only WordPiece can be read.")
        return cls(tokenizer)

    def to_json(self) -> str:
        """The content of a tokenizer.json of this tokenizer."""
        return self._tokenizer.to_str()

    def id_of(self, piece: str) -> int | None:
        """The id of a piece in exactly this spelling, or None if it is not in the vocabulary."""
        require_type("piece", piece, str, "strings")
        return self._tokenizer.token_to_id(piece)

    def pieces(self, text: str) -> tuple[str, ...]:
        """The pieces of a text, without [CLS] and [SEP]."""
        require_type("text", text, str, "strings")
        return tuple(self._tokenizer.encode(encodable(text), add_special_tokens=False).tokens)

    def __call__(self, texts: str | Sequence[str], *, max_len: int | None = None) -> TokenBatch:
        """Tokenize one or several texts into a batch, padded to the longest.

        A text of more than `max_len` pieces loses the last ones before [SEP]; `truncated` counts them. Raises
        ValueError if a text has no words, and unless `max_len` is None or a whole number from 3.
        """
        max_len = length_limit(max_len, SHORTEST)
        ids = []
        for index, text in enumerate(as_sentences(texts)):
            text_ids = self._tokenizer.encode(encodable(text)).ids
            if len(text_ids) <= 2:
                raise ValueError(f"text {index + 1} has no words: at least one letter, digit or sign is needed.")
            ids.append(text_ids)
        short = [_truncate(text_ids, max_len) for text_ids in ids]
        tokens = [[self.vocabulary[index] for index in sentence] for sentence in short]
        return pad_batch(tokens, short, map(len, ids), pad_id=self.id_of(PAD) or 0)


def _truncate(ids: list[int], max_len: int | None) -> list[int]:
    return ids if max_len is None or len(ids) <= max_len else ids[: max_len - 1] + ids[-1:]
