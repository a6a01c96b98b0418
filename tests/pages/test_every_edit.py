"""A new type of edit needs an entry in several places: an omission fails with a sentence that names the place.

`tests/core/test_recompute.py` and `tests/core/derive/test_against_trace.py` ask for every type by themselves, and
`tests/robustness/test_bad_input.py` for its name in the text format.
"""

from dataclasses import replace
from typing import get_args

import pytest

import encoder_core
from dashboard.inspect.edit_text import describe_edit
from dashboard.models.model import model_for
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core.edits import Edit, combine_edits, format_edit, parse_edit
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.export.notebook import plain_notebook
from tests.core.export.subjects import ALL_EDITS, CONFIG, SEQ, TEXT, random_subject

TYPES = get_args(Edit)


def example(edit_type):
    """An edit of this type, which fits the runs that the tests of the export execute."""
    examples = [edit for edit in ALL_EDITS if isinstance(edit, edit_type)]
    assert examples, (
        f"ALL_EDITS in tests/core/export/subjects.py has no {edit_type.__name__}: no notebook runs with it."
    )
    return examples[0]


def stages(*edits):
    """The code of the plain notebook, without the numbers of the app."""
    cells = plain_notebook(random_subject(edits=edits)).cells
    return [cell.source for cell in cells if cell.cell_type == "code" and "APP" not in cell.source]


@pytest.mark.parametrize("edit_type", TYPES)
def test_a_type_of_edit_can_be_imported(edit_type):
    name = edit_type.__name__
    for package in (encoder_core, encoder_core.edits):
        assert getattr(package, name, None) is edit_type, (
            f"{package.__name__} does not export {name}, as notebooks need."
        )


@pytest.mark.parametrize("edit_type", TYPES)
def test_a_type_of_edit_has_an_effect(edit_type):
    effects = combine_edits([example(edit_type)], CONFIG, len(TEXT), SEQ)
    nothing = replace(effects, edits=()) == NO_EFFECTS
    assert not nothing, f"combine_edits in encoder_core/edits/effects.py ignores {edit_type.__name__}."


@pytest.mark.parametrize("edit_type", TYPES)
def test_a_type_of_edit_has_a_text_for_links(edit_type):
    edit, place = example(edit_type), f"encoder_core/edits/text.py has no format of {edit_type.__name__}"
    try:
        text = format_edit(edit)
    except ValueError as error:
        pytest.fail(f"{place}: {error}")
    assert parse_edit(text) == edit, f"{place} that keeps its fields."


@pytest.mark.parametrize("edit_type", TYPES)
def test_a_type_of_edit_is_described_in_the_bar(edit_type):
    edit, place = example(edit_type), f"dashboard/inspect/edit_text.py does not describe {edit_type.__name__}"
    try:
        text = describe_edit(edit, model_for(Settings.from_state(DEFAULTS)))
    except AssertionError as error:
        pytest.fail(f"{place}: {error}")
    assert text, place


@pytest.mark.parametrize("edit_type", TYPES)
def test_a_type_of_edit_is_in_the_notebook_without_the_package(edit_type):
    changes = stages(example(edit_type)) != stages()
    assert changes, f"encoder_core/export/plain has no code for {edit_type.__name__}; see its edits.py."
