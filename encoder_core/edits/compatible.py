"""Select the edits that can be used together: a link may contain any list of edits."""

from collections.abc import Sequence
from typing import NamedTuple

from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, combine_edits, format_edit
from encoder_core.edits.effects import require_edits
from encoder_core.support.validation import IndexTooLarge, short_repr


class IgnoredEdit(str):
    """A sentence about an edit that cannot be used.

    edit     the edit
    reason   the end of the sentence: why it cannot be used
    missing  the name of its index that is too large, and how many there are; None for other reasons
    """

    edit: Edit
    reason: str
    missing: tuple[str, int] | None


class CompatibleEdits(NamedTuple):
    """The edits that can be used together, in order, and one sentence for each edit that is ignored."""

    edits: tuple[Edit, ...]
    problems: tuple[IgnoredEdit, ...]


def compatible_edits(edits: Sequence[Edit], config: EncoderConfig, batch: int, seq: int) -> CompatibleEdits:
    """All edits where `combine_edits` accepts them; otherwise each edit that fits the accepted edits before it.

    Raises ValueError for what is no edit, configuration or size.
    """
    edits = require_edits(edits)
    combine_edits((), config, batch, seq)  # raises ValueError where none of the edits is to blame
    try:
        return CompatibleEdits(combine_edits(edits, config, batch, seq).edits, ())
    except ValueError:
        pass
    accepted: list[Edit] = []
    problems = []
    for edit in edits:
        try:
            combine_edits([*accepted, edit], config, batch, seq)
        except ValueError as error:
            problems.append(ignored_edit(edit, error))
        else:
            accepted.append(edit)
    return CompatibleEdits(tuple(accepted), tuple(problems))


def ignored_edit(edit: Edit, error: ValueError) -> IgnoredEdit:
    """The sentence about an edit that cannot be used, with the message of the error."""
    try:
        text = format_edit(edit)
    except ValueError:  # a field that is no index or number
        text = short_repr(edit)
    reason = str(error).removeprefix(f"{short_repr(edit)}: ")  # the sentence has named the edit
    sentence = IgnoredEdit(f"The edit “{text}” is ignored: {reason}")
    sentence.edit, sentence.reason = edit, reason
    sentence.missing = (error.name, error.size) if isinstance(error, IndexTooLarge) else None
    return sentence
