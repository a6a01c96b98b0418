"""Which of several edits can be used together: for links, which anybody may have written by hand."""

from collections.abc import Sequence
from typing import NamedTuple

from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, effects_of, to_text
from encoder_core.encoder import Encoder
from encoder_core.inputs import Inputs
from encoder_core.masks import MaskSpec
from encoder_core.run import Run


class FittingEdits(NamedTuple):
    """The edits that can be used together, in order, and a sentence for each that is left out."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]


class FittingRun(NamedTuple):
    """A run with the edits that can be used together, and a sentence for each that is left out."""

    run: Run
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
            problems.append(_left_out(edit, error))
        else:
            kept.append(edit)
    return FittingEdits(tuple(kept), tuple(problems))


def run_with_fitting_edits(encoder: Encoder, inputs: Inputs, mask: MaskSpec, edits: Sequence[Edit]) -> FittingRun:
    """The run with as many edits as it can have: those of `fitting_edits`, less the newest ones until every number is
    finite in float32. Raises ValueError for inputs or a mask that do not fit."""
    try:
        return FittingRun(encoder.run(inputs, mask, edits), ())
    except ValueError:
        plain = encoder.run(inputs, mask)  # raises where the edits are not to blame
    kept, problems = fitting_edits(edits, encoder.config, *plain.trace.real.shape)
    while kept:
        try:
            return FittingRun(encoder.run(inputs, mask, kept), problems)
        except ValueError as error:
            problems = (*problems, _left_out(kept[-1], error))
            kept = kept[:-1]
    return FittingRun(plain, problems)


def _left_out(edit: Edit, error: ValueError) -> str:
    return f"The what-if “{to_text(edit)}” is left out: {error}"
