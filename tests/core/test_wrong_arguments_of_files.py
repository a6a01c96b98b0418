"""Arguments of a wrong type for derivations, files and formatted numbers: each gets a sentence."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.explain import derive
from encoder_core.export import (
    FromFile,
    Pretrained,
    Random,
    SomeRecipe,
    Subject,
    encoder_core_notebook,
    notebook_json,
    parameters_safetensors,
    plain_notebook,
    trace_arrays,
    trace_npz,
    trace_safetensors,
)
from encoder_core.export.report import report_html
from encoder_core.figures import dimensions, position_labels
from encoder_core.inputs.mask_text import parse_mask_text
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.support.wording import format_count
from encoder_core.tutorials import examine_all

pytestmark = pytest.mark.usefixtures("unchecked")

RUN = Encoder.random(EncoderConfig(vocab_size=20, max_len=8, d_model=8, num_heads=2)).run(["a b . a", "c a"], "padding")
TRACE = RUN.trace


def refuses(message):
    return pytest.raises(ValueError, match=message)


@pytest.mark.parametrize("value", [None, "a b", 3, [RUN], TRACE])
def test_files_are_those_of_a_run(value):
    for export in (
        trace_npz,
        trace_safetensors,
        parameters_safetensors,
        lambda run: Subject(run, Random(0)),
        lambda run: derive(run, "pattern.0.0.1.2.0"),
    ):
        with refuses("run=.* is invalid: allowed are runs"):
            export(value)
    if value is not TRACE:
        with refuses("trace=.* is invalid: allowed are traces"):
            trace_arrays(value)
    for notebook in (plain_notebook, encoder_core_notebook):
        with refuses("subject=.* is invalid: allowed are subjects"):
            notebook(value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Subject(RUN, "random"), "origin='random' is invalid: allowed are origins of an encoder"),
        (lambda: Subject(RUN, Random(0), "a b"), "sentences='a b' is invalid: allowed are tuples of strings"),
        (lambda: Subject(RUN, Random(0), ("a b",), None), "link=None is invalid: allowed are strings"),
        *(
            (
                lambda link=link: Subject(RUN, Random(0), (), link),
                "link=.* is invalid: allowed are addresses that begin",
            )
            for link in ("javascript:alert(1)", "data:text/html,x", "//host", "https://", "http://a b", 'http://a"<b>')
        ),
        (lambda: Subject(RUN, Random(3)), r"origin=Random\(seed=3\) is invalid: allowed are .* Random\(seed=0\)"),
        (lambda: Random("0"), "seed='0' is invalid: allowed are whole numbers from 0"),
        (lambda: Random(-1), "seed=-1 is invalid: allowed are whole numbers from 0"),
        (lambda: SomeRecipe("NNX", "as written", 0), "name='NNX' is invalid: allowed are 'nnx', 'haiku'"),
        (lambda: SomeRecipe("nnx", "as wrtten", 0), "variant='as wrtten' is invalid: allowed are 'as intended', 'as w"),
        (lambda: SomeRecipe("nnx", "as written", -1), "seed=-1 is invalid: allowed are whole numbers from 0"),
        (lambda: Pretrained(3), "name=3 is invalid: allowed are strings"),
        (lambda: FromFile(None), "description=None is invalid: allowed are strings"),
        (lambda: examine_all("NNX", 0), "tutorial='NNX' is invalid: allowed are 'nnx', 'haiku'"),
        (lambda: derive(RUN, None), "cell=None is invalid: allowed are cells and their texts"),
        (lambda: derive(RUN, ("pattern", 0)), "cell=.* is invalid: allowed are cells and their texts"),
        (lambda: parse_mask_text(np.eye(2)), "text=.* is invalid: allowed are texts such as 10/11"),
        (lambda: format_number("1"), "value='1' is invalid: allowed are numbers"),
        (lambda: format_number(1.5, 2.5), "digits=2.5 is invalid: allowed are whole numbers from 1"),
        (lambda: format_fixed(None), "value=None is invalid: allowed are numbers"),
        (lambda: format_fixed(1.5, -1), "decimals=-1 is invalid: allowed are whole numbers from 0"),
        (lambda: dimensions("3"), "count='3' is invalid: allowed are whole numbers from 0"),
        (lambda: position_labels(-1), "count=-1 is invalid: allowed are whole numbers from 0"),
    ],
)
def test_other_arguments(call, message):
    with refuses(message):
        call()


def test_numbers_of_numpy_are_formatted():
    assert format_count(np.int64(2), "row") == "2 rows"
    assert format_count(np.int64(1), "row") == "1 row"
    assert format_number(np.float32(0.5), np.int64(3)) == "0.5"


@pytest.mark.parametrize("value", [None, "notebook", 3, {}, RUN])
def test_files_are_written_from_notebooks_and_subjects(value):
    with refuses("notebook=.* is invalid: allowed are notebooks, such as"):
        notebook_json(value)
    with refuses("subject=.* is invalid: allowed are subjects, such as"):
        report_html(value)
