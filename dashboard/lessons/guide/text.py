"""Texts that the page and docs/workshop.md share: labels of each version, times, the overview, misunderstandings."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dashboard.lessons.guide.step import PlanStep, Version


class TextOfVersion(NamedTuple):
    """The labels of a step's parts, and how to use the plan: before the first step, in each step, and at the end."""

    question: str
    task: str
    answer: str
    misunderstandings: str
    room: str
    before: str
    hints: str
    end: str


_GROUP = TextOfVersion(
    "Question for the room",
    "On the page",
    "Expected answer",
    "Listen for",
    "For the room",
    "- **Server.** On a computer of your own, start it with `make serve`: nginx in front of two processes. For a "
    "workshop with training runs that everybody sees, start one process with `make serve PROCESSES=1`.\n"
    "- **Address.** Open the app at the address that the participants can reach, not at localhost: **Share** "
    "gives the participants the address that you use, as a link and as a QR code.\n"
    "- **Encoders.** Open every link of the plan once: a process loads an encoder at its first use, and later visits "
    "are faster. A figure that you reveal in this rehearsal is hidden again when you open its link in the plan.\n"
    "- **Projector.** **Share** → **Present** shows large figures, without the sidebar and the menu. PageDown and "
    "PageUp show the next and the previous figure, Escape ends the presentation. If you press Present in the "
    "guide, the views that its buttons open are presented, too; the Back button of the browser returns to the guide.\n"
    "- **Training.** A process trains two runs at a time, unless ENCODER_TRAINING_RUNS sets another number; further "
    "ones wait in a queue. Start one run and share its link.",
    "**In each step.** Ask the question, let everybody write down an answer, and only then open the view. "
    "**Share** gives the participants the view that you project; a presentation has no such button until Escape ends "
    "it. Some links hide the figure until somebody answers "
    "the question of the page or asks for the answer.",
    "*Results* lists what each participant answered on the pages. *Take away* makes a notebook of the encoder that is "
    "in use then; the views of the last step do not use MiniLM.",
)
_ALONE = TextOfVersion(
    "Question",
    "On the page",
    "Answer",
    "Did you think so, too?",
    "",
    "",
    "**In each step.** Write down your answer to the question before you open the view. Then follow the instructions, "
    "and compare your answer with the one here. Some links hide the figure until you answer the "
    "question of the page or ask for the answer.\n\n"
    "**Take your time.** The times are estimates, and every step works without the others. If a result surprises you, "
    "change one thing and predict again.",
    "*Results* lists what you answered on the pages. *Take away* makes a notebook of the encoder that is in use then; "
    "the views of the last step do not use MiniLM.",
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
