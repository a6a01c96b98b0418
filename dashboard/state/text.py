"""The limits of the text that a user types."""

from functools import lru_cache

from encoder_core.inputs.tokenizer import split_words

MAX_CHARACTERS, MAX_SENTENCES = 2_000, 8


def truncate_text(text: str) -> tuple[str, str | None]:
    """The text cut to the limits, and a sentence about the cut; None for an uncut text."""
    lines = [line for line in text[:MAX_CHARACTERS].splitlines() if line.strip()]
    if len(text) > MAX_CHARACTERS:
        return "\n".join(lines[:MAX_SENTENCES]), (
            f"The text had {len(text):,} characters; the first {MAX_CHARACTERS:,} are kept."
        )
    if len(lines) > MAX_SENTENCES:
        return "\n".join(lines[:MAX_SENTENCES]), (
            f"The text had {len(lines)} lines; the first {MAX_SENTENCES} are kept, one sentence a line."
        )
    return text, None


def first_line(text: str) -> str:
    """The first line that is not blank; empty if there is none."""
    return next((line for line in text.splitlines() if line.strip()), "")


@lru_cache(maxsize=256)
def has_words(text: str) -> bool:
    """Whether the text has at least one word or sign."""
    return bool(split_words(text))
