"""A small text written for this project: 698 English sentences in simple words, one per line.

A class of beginners knows its 250 different words (punctuation included), and a small model can learn from it who eats,
drinks and reads what, agreement ("The dogs are", "Anna ... she"), pronouns with their noun in the sentence, words with
two meanings ("bank", "bat", "light", "orange", "play", "watch"), counts and opposites. The first sentence is the
first of the default text of the dashboard; the spelling "lied down" is that of the tutorial it comes from.
"""

from functools import cache
from importlib.resources import files


@cache
def load_sentences() -> tuple[str, ...]:
    """The sentences in the order of the file, all different, each of 4 to 16 words."""
    return tuple(files(__name__).joinpath("sentences.txt").read_text(encoding="utf-8").splitlines())
