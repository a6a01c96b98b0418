"""Texts that the page and docs/workshop.md share: labels of each version, times, the overview, misunderstandings."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dashboard.lessons.guide.step import PlanStep, Version


class TextOfVersion(NamedTuple):
    """The labels of a step's parts, and how to use the plan."""

    question: str
    task: str
    answer: str
    misunderstandings: str
    hints: str


_GROUP = TextOfVersion(
    "Question for the room",
    "On the page",
    "Expected answer",
    "Listen for",
    "**Before you begin.** Open every link of the plan once: encoders are loaded at their first use, and later visits "
    "are faster. Give the participants the address of the start page with **Share**, which shows a QR code.\n\n"
    "**In each step.** Ask the question, let everybody write down an answer, and only then open the view. "
    "**Share** gives the participants the view that you project; a presentation has no such button until Escape ends "
    "it. Some links hide the figure until somebody answers "
    "the question of the page or asks for the answer.\n\n"
    "**At the end.** *Results* lists what each participant answered on the pages, and *Take away* makes a notebook of "
    "the encoder in use.",
)
_ALONE = TextOfVersion(
    "Question",
    "On the page",
    "Answer",
    "Did you think so, too?",
    "**In each step.** Write down your answer to the question before you open the view. Then follow the instructions, "
    "and compare your answer with the one here. Some links hide the figure until you answer the "
    "question of the page or ask for the answer.\n\n"
    "**Take your time.** The times are estimates, and every step works without the others. If a result surprises you, "
    "change one thing and predict again.\n\n"
    "**At the end.** *Results* lists what you answered on the pages, and *Take away* makes a notebook of the encoder "
    "in use.",
)


def text_of(version: Version) -> TextOfVersion:
    """The labels for a group or for one learner."""
    return _GROUP if version.for_group else _ALONE


def time_span(version: Version, begin: int, step: PlanStep) -> str:
    """Begin and end of a step, and its length: "0:08 to 0:15, 7 min"."""
    minutes = step.minutes[version.name]
    return f"{_clock(begin)} to {_clock(begin + minutes)}, {minutes} min"


def overview(version: Version, steps: Sequence[tuple[int, PlanStep]], link: Callable[[int, PlanStep], str]) -> str:
    """A table of the steps as markdown. `link` returns the address of a step's section, given its number."""
    rows = [
        f"| {_clock(begin)} | [{number} {step.title}]({link(number, step)}) | {step.minutes[version.name]} min |"
        for number, (begin, step) in enumerate(steps, 1)
    ]
    end = f"| {_clock(version.minutes)} | end | |"
    return "\n".join(["| from | step | length |", "|---:|:---|---:|", *rows, end])


def misunderstandings(step: PlanStep) -> str:
    """What to listen for, as a list in markdown."""
    return "\n".join(f"- *{claim}* {correction}" for claim, correction in step.misunderstandings)


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02d}"
