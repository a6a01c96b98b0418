"""Prints docs/workshop.md: the plan of the workshop, with the numbers that the encoders give now.

python -m dashboard.lessons.guide.document > docs/workshop.md
"""

import re

from dashboard.lessons.guide.plan import FULL, STEPS, TAKE_AWAY, VERSIONS, steps_of
from dashboard.lessons.guide.step import PlanStep, PlanView
from dashboard.lessons.guide.text import misunderstandings, overview, text_of
from dashboard.models.loading import encoder_loader
from dashboard.state.offered_encoders import MINILM, OFFERED

_HEADER = """# A workshop with the Encoder Walkthrough

This is the plan that the page *Guide for the facilitator* shows in the app. The links are relative to the address of
the app: put `http://localhost:8501` or your own address in front of them. Each sets the complete state of its page.
The numbers are computed by the encoders of the app; this file is printed by

    python -m dashboard.lessons.guide.document > docs/workshop.md

A link with `predict=first` hides the figure until the question of the page is answered; “Show the answer” reveals it
as well.
"""


def document() -> str:
    """The whole file. Raises EncoderNotLoaded if an encoder is not on this machine."""
    tables = "\n".join(
        f"## {version.title}\n\n{overview(version, steps_of(version.name), _anchor)}\n" for version in VERSIONS.values()
    )
    sections = "\n".join(map(section, STEPS))
    text = text_of(VERSIONS[FULL])
    before = f"## Before you begin\n\n{text.before}\n\n{text.hints}\n"
    end = f"## At the end\n\n{text.end}\n\n{_link(TAKE_AWAY)}\n"
    return "\n".join([_HEADER, before, tables, sections, end])


def section(step: PlanStep) -> str:
    """One step: its times, links, question, answer and misunderstandings."""
    minutes = ", ".join(
        f"{step.minutes[name]} ({version.title})" for name, version in VERSIONS.items() if name in step.minutes
    )
    links = "\n".join(map(_link, step.views))
    room = f"\n**{text_of(VERSIONS[FULL]).room}.** {step.room}\n" if step.room else ""
    return (
        f"## {step.title}\n\nMinutes: {minutes}\n\n{links}\n\n**Question.** {step.question}\n\n"
        f"**On the page.** {step.task}\n\n**Expected answer.** {step.measured_answer()}\n\n**Listen for**\n\n"
        f"{misunderstandings(step)}\n{room}"
    )


def _link(view: PlanView) -> str:
    return f"- {view.label}: `{view.address}`"


def _anchor(_: int, step: PlanStep) -> str:
    """The address of a section, as GitHub derives it from the heading."""
    return "#" + re.sub(r"[^\w -]", "", step.title.lower()).replace(" ", "-")


if __name__ == "__main__":
    print(document(), end="")
    if MINILM in OFFERED:
        encoder_loader(OFFERED[MINILM]).finish()  # Python must not end while a thread compiles
