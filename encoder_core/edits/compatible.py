"""Select the edits that can be used together: a link may contain any list of edits."""

from collections.abc import Sequence
from typing import NamedTuple

from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, combine_edits, format_edit


class CompatibleEdits(NamedTuple):
    """The edits that can be used together, in order, and one sentence for each edit that is ignored."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]


def compatible_edits(edits: Sequence[Edit], config: EncoderConfig, batch: int, seq: int) -> CompatibleEdits:
    """All edits where `combine_edits` accepts them; otherwise each edit that fits the accepted edits before it."""
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
            problems.append(ignored_edit_message(edit, error))
        else:
            accepted.append(edit)
    return CompatibleEdits(tuple(accepted), tuple(problems))


def ignored_edit_message(edit: Edit, error: ValueError) -> str:
    """The sentence about an edit that cannot be used."""
    return f"The edit “{format_edit(edit)}” is ignored: {error}"
