"""The answers that the user gave, in order: those of this session, and those that the browser has kept."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dashboard.markdown import capitalize, plain_text
from dashboard.state.link import link_to
from dashboard.state.session import session

MAX_ANSWERS = 500  # of one session
_KEY = "answers"  # in `Session.memo`
_CLEARED = "time of clearing the answers"  # in `Session.memo`
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet executes a text that begins with one of these


@dataclass(frozen=True)
class Answer:
    """One answer. `question`, `options`, `chosen`, `correct`, `explanation` and `misconception` are markdown.

    time         of the answer, UTC, ISO 8601
    page, query  the page, and the query string of the view that the question was asked about
    link         to this view; "" if the address of the app is not known
    attempt      1 for the first answer to a question about the same view
    misconception  what the chosen option overlooks, and what shows it; "" if it is right or not known
    """

    time: str
    page: str
    question: str
    options: tuple[str, ...]
    chosen: str
    correct: str
    explanation: str
    query: str
    link: str
    attempt: int
    misconception: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether the chosen option is the correct one."""
        return self.chosen == self.correct


def answers() -> tuple[Answer, ...]:
    """All answers, the oldest first."""
    return tuple(session().memo.get(_KEY, ()))


def last_answer(question: str, options: Sequence[str], correct: str) -> str | None:
    """The last answer to a question on the current page; None if there is none."""
    given = _given_to(question, options, correct)
    return given[-1].chosen if given else None


def has_answered(question: str, options: Sequence[str], chosen: str) -> bool:
    """Whether the user has chosen this option of a question on the current page, whatever the right one was."""
    return any(given.chosen == chosen for given in _given_to(question, options))


def _given_to(question: str, options: Sequence[str], correct: str | None = None) -> list[Answer]:
    """The answers to a question on the current page; with `correct`, those given when this was the right one."""
    asked = (session().page or "", question, tuple(options))
    given_to = [given for given in answers() if (given.page, given.question, given.options) == asked]
    return given_to if correct is None else [given for given in given_to if given.correct == correct]


def record_answer(
    question: str, options: Sequence[str], chosen: str, correct: str, explanation: str, misconception: str = ""
) -> None:
    """Add an answer on the current page, unless it repeats the last answer to the same question."""
    current = session()
    earlier = _given_to(question, options, correct)
    if chosen not in options or (earlier and earlier[-1].chosen == chosen):
        return
    page = current.page or ""
    answer = Answer(_now(), page, question, tuple(options), chosen, correct, explanation, current.query(),
                    link_to(page), len(earlier) + 1, misconception)  # fmt: skip
    add_answers([answer])


def add_answers(given: Sequence[Answer]) -> None:
    """Add the answers that are not there yet, each in its place in time."""
    known = answers()
    latest = sorted([*known, *(answer for answer in given if answer not in known)], key=lambda answer: answer.time)
    session().memo[_KEY] = latest[-MAX_ANSWERS:]


def clear_answers() -> None:
    """Remove all answers, also those that the browser has kept. Call it from a callback."""
    session().memo.pop(_KEY, None)
    session().memo[_CLEARED] = _now()


def time_of_clearing() -> str | None:
    """When this session cleared the answers for the last time, as in `Answer.time`; None if it has not."""
    cleared: str | None = session().memo.get(_CLEARED)
    return cleared


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def to_json(given: Sequence[Answer]) -> str:
    """The answers as a list of objects, their texts without markdown."""
    return json.dumps([_plain(answer) for answer in given], ensure_ascii=False, indent=2)


def to_csv(given: Sequence[Answer]) -> str:
    """The answers as a table, one a line; the options of a question are separated by " | "."""
    file = io.StringIO()
    writer = csv.writer(file)
    rows = [_plain(answer) for answer in given]
    writer.writerow(["time", "page", "question", "options", "chosen", "correct", "is_correct", "explanation", "link",
                     "attempt", "misconception"])  # fmt: skip
    for row in rows:
        writer.writerow([_field(" | ".join(value) if isinstance(value, list) else value) for value in row.values()])
    return "\ufeff" + file.getvalue()  # tells Excel that the table is UTF-8


def _plain(answer: Answer) -> dict[str, object]:
    """The fields of an answer, in the order of the table."""
    return {
        "time": datetime.fromisoformat(answer.time).isoformat(timespec="seconds"),
        "page": answer.page,
        "question": capitalize(plain_text(answer.question)),
        "options": [plain_text(option) for option in answer.options],
        "chosen": plain_text(answer.chosen),
        "correct": plain_text(answer.correct),
        "is_correct": answer.is_correct,
        "explanation": plain_text(answer.explanation),
        "link": answer.link,
        "attempt": answer.attempt,
        "misconception": plain_text(answer.misconception),
    }


def _field(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_SIGNS) else value
