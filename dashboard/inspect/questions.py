"""Questions with exactly one right option. Each wrong option says which misconception it stands for."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

TIE = 1e-3  # values closer than this fraction of the largest magnitude count as equal


@dataclass(frozen=True)
class WrongOption:
    """A wrong option. All fields are markdown.

    misconception  a sentence: what somebody who chooses it has overlooked
    look_at        what shows it: continues "Look at "
    """

    text: str
    misconception: str
    look_at: str

    @property
    def explanation(self) -> str:
        """What somebody who chooses it has overlooked, and what shows it: two sentences."""
        return f"{self.misconception} Look at {self.look_at}."


@dataclass(frozen=True)
class Question:
    """A prediction to make. All texts are markdown.

    text   the question, which continues "Predict: "
    right  the text of the right option
    why    sentences: the reason, with the numbers of the model
    wrong  the other options, each with its misconception
    place  of the right option among all, where they have an order

    Raises ValueError if there is no wrong option, if two options are equal, or if an explanation is empty.
    """

    text: str
    right: str
    why: str
    wrong: Sequence[WrongOption]
    place: int | None = None

    def __post_init__(self) -> None:
        if not self.wrong or len(set(self.options)) <= len(self.wrong):
            raise ValueError(f"the options {self.options} are invalid: allowed are two or more different ones.")
        explanations = [text for option in self.wrong for text in (option.misconception, option.look_at)]
        if not all(text.strip() for text in (self.text, self.why, *explanations)):
            raise ValueError(f"the question “{self.text}” is invalid: every text must explain something.")

    @property
    def options(self) -> tuple[str, ...]:
        """The texts of all options. Where they have no order, the right one is at a place that depends on the text."""
        place = zlib.crc32(self.text.encode()) % (len(self.wrong) + 1) if self.place is None else self.place
        texts = [option.text for option in self.wrong]
        return (*texts[:place], self.right, *texts[place:])

    @property
    def key(self) -> str:
        """A short text that differs between questions with other texts or another right option."""
        return f"{zlib.crc32(repr((self.text, self.options, self.right)).encode()):08x}"

    def explain(self, option: str) -> str:
        """Why an option is wrong and what shows it; "" for the right one."""
        wrong = next((wrong for wrong in self.wrong if wrong.text == option), None)
        return wrong.explanation if wrong else ""


def without_duplicates(right: str, wrong: Sequence[WrongOption]) -> list[WrongOption]:
    """The wrong options whose texts, such as rounded numbers, differ from the right one and from each other."""
    by_text: dict[str, WrongOption] = {}
    for option in wrong:
        if option.text != right:
            by_text.setdefault(option.text, option)
    return list(by_text.values())


def rank_distinct(values: Float[np.ndarray, "value"]) -> list[int]:
    """The index of the largest value, then those of clearly smaller values in descending order; -inf is smaller.

    Empty if no value is finite; a single index if no other value is clearly smaller.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return []
    best = int(np.argmax(values))
    smaller = values < values[best] - TIE * np.abs(values[finite]).max()
    return [best, *(int(place) for place in np.argsort(-values, kind="stable") if smaller[place])]


def largest_value_question(
    text: str,
    values: Float[np.ndarray, "value"],
    why: Callable[[int], str],
    explain: Callable[[int], WrongOption],
    fallback: Question,
) -> Question:
    """Which of up to three values is the largest? Returns `fallback` if no other value is clearly smaller.

    text     must say "which of these", because values that tie with the largest are not options
    why      index -> reason why it is the answer
    explain  index -> the option of this value, with the misconception of choosing it
    """
    best, *others = rank_distinct(values) or [0]
    if not others:
        return fallback
    return Question(text, explain(best).text, why(best), [explain(place) for place in others[:2]])
