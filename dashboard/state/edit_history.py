"""The edits of a session and their history: every change, including a reset, can be undone and redone."""

from dataclasses import dataclass, field

import dashboard.state.setting_parameters  # noqa: F401 - declared before the edits, so that settings come first in the URL
from dashboard.markdown import escape_message
from dashboard.state.parameter import Parameter, declare
from dashboard.state.session import session
from encoder_core import Edit, EncoderConfig, compatible_edits
from encoder_core.edits import format_edit, parse_edit
from encoder_core.edits.compatible import CompatibleEdits

SEPARATOR = "~"  # between edits in a link
MAX_EDITS = 24  # edits at once
MAX_HISTORY = 200  # changes that can be undone
_COMPATIBLE, _HISTORY = "edits that can be used together", "edit history"  # in `Session.memo`

EDITS: Parameter[tuple[str, ...]] = declare(
    Parameter("edits", (), lambda link: tuple(text for text in link.split(SEPARATOR) if text), SEPARATOR.join)
)


@dataclass
class EditHistory:
    """The current edits, lists of edits before and after them (undo and redo), and the page of the last change."""

    current: tuple[str, ...] = ()
    before: list[tuple[str, ...]] = field(default_factory=list)
    after: list[tuple[str, ...]] = field(default_factory=list)
    page: str | None = None


def edit_texts() -> tuple[str, ...]:
    """The edits in use, as texts. Invalid edits of a link are removed, with a message."""
    current = session()
    texts = current.get(EDITS)
    if current.last_used.get("edits") == texts:
        return texts
    valid: list[str] = []
    distinct = tuple(dict.fromkeys(texts))
    for text in distinct[:MAX_EDITS]:
        try:
            valid.append(format_edit(parse_edit(text)))
        except ValueError as error:
            current.problems[f"edit {text}"] = f"An edit in the link is ignored: {escape_message(str(error))}"
    edits = tuple(dict.fromkeys(valid))
    if len(distinct) < len(texts) or len(edits) < len(valid):
        current.problems["repeated edits"] = "The link has the same edit several times; it is used once."
    if len(distinct) > MAX_EDITS:
        current.problems["edits"] = f"The link has {len(distinct)} edits; the first {MAX_EDITS} are used."
    current.set_derived(EDITS, edits)
    current.last_used["edits"] = edits
    return edits


def compatible_session_edits(config: EncoderConfig, batch: int, seq: int) -> CompatibleEdits:
    """The edits that can be used together in a model and its batch, and one sentence for each other edit.

    The other edits stay in the URL, because they may fit another model.
    """
    key = (edit_texts(), config, batch, seq)
    known = session().memo.get(_COMPATIBLE)  # a run asks several times
    if known is None or known[0] != key:
        known = session().memo[_COMPATIBLE] = key, compatible_edits([parse_edit(t) for t in key[0]], config, batch, seq)
    return known[1]


def add(edit: Edit) -> None:
    """Add an edit, or replace an earlier edit of the same number. Call it from a callback.

    Where `is_full`, an edit of another number is not made: it would have to end one that the user made.
    """
    new = format_edit(edit)
    if new in edit_texts():  # no change that could be undone
        return
    others = [text for text in edit_texts() if _target(text) != _target(new)]
    if len(others) < MAX_EDITS:
        _change((*others, new))


def is_full() -> bool:
    """Whether as many edits are in use as can be at once."""
    return len(edit_texts()) >= MAX_EDITS


def remove(text: str) -> None:
    """Remove this edit."""
    _change(tuple(other for other in edit_texts() if other != text))


def reset() -> None:
    """Clear all edits."""
    _change(())


def undo() -> None:
    """Undo the last change of the edits."""
    history = _history()
    if history.before:
        history.after.append(edit_texts())
        _apply(history.before.pop())


def redo() -> None:
    """Redo the last undone change."""
    history = _history()
    if history.after:
        history.before.append(edit_texts())
        _apply(history.after.pop())


def can_undo() -> bool:
    """Whether there is a change to undo."""
    return bool(_history().before)


def can_redo() -> bool:
    """Whether there is an undone change to redo."""
    return bool(_history().after)


def changed_on_this_page() -> bool:
    """Whether the last change of the edits happened on the current page."""
    return _history().page == session().page


def _target(text: str) -> str:
    """What an edit sets, without the value: `score.0.0.0.2.1=6.5` -> `score.0.0.0.2.1`."""
    return text.partition("=")[0]


def _change(new: tuple[str, ...]) -> None:
    if new != edit_texts():
        history = _history()
        history.before.append(edit_texts())
        del history.before[:-MAX_HISTORY]
        history.after.clear()
        _apply(new)


def _apply(new: tuple[str, ...]) -> None:
    history = _history()
    history.current, history.page = new, session().page
    session().set(EDITS, new)


def _history() -> EditHistory:
    """The history of the current edits: a new one where the URL has brought others, as after Back."""
    history: EditHistory | None = session().memo.get(_HISTORY)
    if history is None or history.current != edit_texts():
        history = session().memo[_HISTORY] = EditHistory(edit_texts())
    return history
