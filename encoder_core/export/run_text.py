"""Whether sentences are those that a run has tokenized."""

import re
import unicodedata
from collections.abc import Sequence

from encoder_core.trace import Run

_ANY = "\0"  # stands for any letters: those of a token that is not spelled as the text is
_SPECIAL = re.compile(r"\[\w+\]")  # [CLS], [UNK]; [7] of an edit


def is_text_of(run: Run, sentences: Sequence[str]) -> bool:
    """Whether the letters and digits of each sentence are those of the tokens of the run, in the same order.

    How a text was tokenized is not known: case, accents and signs are not compared, special tokens and those that edits
    replaced stand for any letters, and a sentence of as many tokens as the encoder can have may be longer. True where
    the run has no tokens, but only ids.
    """
    trace = run.trace
    if len(sentences) != len(trace.real):
        return False
    for index, (sentence, tokens) in enumerate(zip(sentences, trace.tokens, strict=False)):
        spelled = [
            _ANY if _SPECIAL.fullmatch(token) or (index, place) in run.effects.ids else _letters(token)
            for place, (token, is_real) in enumerate(zip(tokens, trace.real[index], strict=True))
            if is_real
        ]
        is_cut = len(spelled) == run.config.max_len
        if not _matches(_letters(sentence), "".join(spelled) + _ANY * is_cut):
            return False
    return True


def _letters(text: str) -> str:
    """The letters and digits of a text, without case and accents."""
    # Marks go first: in lower case, the iota below a Greek letter would become a letter of its own.
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    return "".join(c for c in unicodedata.normalize("NFKD", plain.casefold()) if c.isalnum())


def _matches(text: str, pattern: str) -> bool:
    """Whether the text is the pattern, in which _ANY stands for any letters.

    Each part is searched for once. A regular expression would try all ways to divide the text, which takes hours where
    many tokens are [UNK].
    """
    first, *parts = pattern.split(_ANY)
    if not parts:
        return text == first
    *middle, last = parts
    if not text.startswith(first):
        return False
    place = len(first)
    for part in middle:
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return text.endswith(last) and len(text) - len(last) >= place
