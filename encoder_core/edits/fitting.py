"""Which of several edits can be used together: for links, which anybody may have written by hand."""

from collections.abc import Sequence
from typing import NamedTuple

from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, effects_of, to_text


class FittingEdits(NamedTuple):
    """The edits that can be used together, in order, and a sentence for each that is left out."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]


def fitting_edits(edits: Sequence[Edit], config: EncoderConfig, batch: int, seq: int) -> FittingEdits:
    """All edits where `effects_of` accepts them; otherwise one after another, each that fits those before it."""
    try:
        return FittingEdits(effects_of(edits, config, batch, seq).edits, ())
    except ValueError:
        pass
    kept: list[Edit] = []
    problems = []
    for edit in edits:
        try:
            effects_of([*kept, edit], config, batch, seq)
        except ValueError as error:
            problems.append(left_out(edit, error))
        else:
            kept.append(edit)
    return FittingEdits(tuple(kept), tuple(problems))


def left_out(edit: Edit, error: ValueError) -> str:
    """The sentence about an edit that cannot be used."""
    return f"The what-if “{to_text(edit)}” is left out: {error}"
