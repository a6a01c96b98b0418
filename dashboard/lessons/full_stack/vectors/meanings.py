"""Sentences with two meanings of one word, and the groups of a text's sentences."""

from dashboard.models.model import Model
from encoder_core.support.wording import numbered

WORD = "bank"
EXAMPLES = {
    "She put her money in the bank.": "money",
    "He took a loan from the bank.": "money",
    "My salary goes to the bank.": "money",
    "They sat on the bank of the river.": "river",
    "Trees grow along the bank of the stream.": "river",
    "The boat was tied to the bank of the river.": "river",
}
_MAX_GROUPS = 4  # colours that differ well


def sentence_meanings(current: Model) -> list[str] | None:
    """The meaning of “bank” in each sentence, if all sentences are among the examples and both meanings occur twice."""
    lines = current.settings.sentences
    meanings = [EXAMPLES.get(line, "") for line in lines]
    is_example = len(lines) == len(current.batch.tokens) and not current.settings.recipe and all(meanings)
    return meanings if is_example and all(meanings.count(name) > 1 for name in EXAMPLES.values()) else None


def sentence_groups(current: Model, selected: int) -> list[str]:
    """A name for the group of each sentence: the meaning, the sentence, or "other sentences" of a larger batch."""
    meanings, count = sentence_meanings(current), len(current.batch.tokens)
    if meanings:
        return [f"{WORD}: {meaning}" for meaning in meanings]
    names = numbered("sentence", count)
    if count <= _MAX_GROUPS:
        return names
    return [name if index == selected else "other sentences" for index, name in enumerate(names)]
