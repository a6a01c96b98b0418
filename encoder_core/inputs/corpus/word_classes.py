"""Word classes of the words in the project's sentences."""

from typing import Literal

WordClass = Literal["determiner", "noun", "pronoun", "verb", "adjective", "preposition"]

# A word of two classes is in both: "play" is a noun and a verb, "light" a noun and an adjective. Pronouns are those of
# the third person, which stand for a noun of the sentence.
_WORDS: dict[WordClass, str] = {
    "determiner": "a an the one two three many my your his her our their no",
    "noun": (
        "anna answer apple apples baby ball bank bat bats bed bike bird birds boat book books box boy boys bread cake "
        "car cars cat cats chair cheese children cow cows cup dark day doctor dog dogs door egg eggs evening farm "
        "farmer father fish friend friends garden girl girls grass home horse horses house king kitchen lamp letter "
        "light lot man meat milk monday money morning mother mouse night orange park pen play question rain river room "
        "school sea sky snow sofa soup story street summer sun sunday table tea teacher tom town tree watch water "
        "window winter woman"
    ),
    "pronoun": "it he she they",
    "verb": (
        "answer are asks ate bought came can carry closed cooks could did do does drank drink drinks eat eats "
        "fell flew flies fly gave gives go goes had has have is jumped know lied like likes open opened play played "
        "plays put ran read reads run runs sat saw see sells sing sings sits sleep sleeps slept swim swims took walked "
        "was watch watches went were works write writes wrote"
    ),
    "adjective": (
        "asleep big black blue closed cold dark empty fast full good green happy heavy hot hungry ill light new old "
        "open orange red sad slow small thirsty tired warm white young"
    ),
    "preposition": "at by for from in into near of on out over to under up with",
}
_CLASSES = {name: frozenset(words.split()) for name, words in _WORDS.items()}


def has_class(word: str, word_class: WordClass) -> bool:
    """Whether the word, in any case, can be of the class. False for words that the sentences do not have."""
    return word.casefold() in _CLASSES[word_class]
