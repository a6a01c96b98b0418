"""The what-if edits of a session, with their history: each change, a reset included, can be undone and redone."""

from dataclasses import dataclass, field
from typing import NamedTuple

from dashboard.markdown import sentence
from dashboard.state.parameter import Parameter, declare
from dashboard.state.session import session
from encoder_core import Edit, EncoderConfig, fitting_edits
from encoder_core.edits import from_text, to_text

BETWEEN = "~"  # edits in a link
MOST = 24  # edits at once

EDITS: Parameter[tuple[str, ...]] = declare(
    Parameter("edits", (), lambda given: tuple(text for text in given.split(BETWEEN) if text), BETWEEN.join)
)


@dataclass
class History:
    """The lists of edits before and after the one in use, and the page on which it was last changed."""

    before: list[tuple[str, ...]] = field(default_factory=list)
    after: list[tuple[str, ...]] = field(default_factory=list)
    page: str | None = None


class Found(NamedTuple):
    """The edits in use that can be used together, and a sentence for each other one."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]


def texts() -> tuple[str, ...]:
    """The edits in use, as texts. What a link says that is no edit is left out, and that is said."""
    current = session()
    given = current.get(EDITS)
    if current.seen.get("edits") == given:
        return given
    good: list[str] = []
    asked = tuple(dict.fromkeys(given))
    for text in asked[:MOST]:
        try:
            good.append(to_text(from_text(text)))
        except ValueError as error:
            current.problems[f"edit {text}"] = f"The link asks for a what-if that is left out: {sentence(str(error))}"
    read = tuple(dict.fromkeys(good))
    if len(asked) < len(given) or len(read) < len(good):
        current.problems["repeated edits"] = "The link has the same what-if several times; it is used once."
    if len(asked) > MOST:
        current.problems["edits"] = f"The link has {len(asked)} what-ifs; the first {MOST} are used."
    current.put(EDITS, read)
    current.seen["edits"] = read
    return read


def fitting(config: EncoderConfig, batch: int, seq: int) -> Found:
    """The edits that fit a model and its batch, and one another. The others are kept, and named: they may fit again."""
    found = fitting_edits([from_text(text) for text in texts()], config, batch, seq)
    return Found(found.edits, found.problems)


def add(edit: Edit) -> None:
    """One more edit; one at the same place takes the place of the one before. Call it from a callback."""
    new, place = to_text(edit), _place(to_text(edit))
    kept = [text for text in texts() if _place(text) != place]
    _become((*kept, new)[-MOST:])


def remove(text: str) -> None:
    """Without this edit."""
    _become(tuple(other for other in texts() if other != text))


def reset() -> None:
    """Clear all edits."""
    _become(())


def undo() -> None:
    """Undo the last change."""
    history = _history()
    if history.before:
        history.after.append(texts())
        _use(history.before.pop())


def redo() -> None:
    """Redo the change that was undone last."""
    history = _history()
    if history.after:
        history.before.append(texts())
        _use(history.after.pop())


def can_undo() -> bool:
    """Whether there is a change to undo."""
    return bool(_history().before)


def can_redo() -> bool:
    """Whether a change was undone."""
    return bool(_history().after)


def changed_here() -> bool:
    """Whether the edits were last changed on the page that is shown."""
    return _history().page == session().page


def _place(text: str) -> str:
    return text.partition("=")[0]


def _become(new: tuple[str, ...]) -> None:
    if new != texts():
        history = _history()
        history.before.append(texts())
        history.after.clear()
        _use(new)


def _use(new: tuple[str, ...]) -> None:
    _history().page = session().page
    session().set(EDITS, new)


def _history() -> History:
    return session().memo.setdefault("edit history", History())
