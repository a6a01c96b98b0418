"""What counts from 0 is checked: a sentence, a head or a key that is not there is said, and -1 is not the last one."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis import logit_lens, residual_change, stack_patterns, visible_keys
from encoder_core.analysis.language import attention_from, head_roles, strongest_heads
from encoder_core.export import Random, Subject
from encoder_core.export.report import report_html

ENCODER = Encoder.random(
    EncoderConfig(vocab_size=9, max_len=8, d_model=8, num_heads=2, num_layers=1, positions="learned", output_head=True)
)
RUN = ENCODER.run("it rains")
TRACE = RUN.trace
WEIGHTS = attention_from(TRACE, 0)
CALLS = {
    "sentence of a residual change": lambda i: residual_change(TRACE, TRACE, i),
    "sentence of a logit lens": lambda i: logit_lens(RUN, i),
    "sentence of patterns": lambda i: stack_patterns(TRACE, i),
    "sentence of keys": lambda i: visible_keys(TRACE, i),
    "key": lambda i: strongest_heads(WEIGHTS, i),
    "sentence of a report": lambda i: report_html(Subject(RUN, Random(0)), i),
    "layer of a report": lambda i: report_html(Subject(RUN, Random(0)), 0, i),
    "head of a report": lambda i: report_html(Subject(RUN, Random(0)), 0, 0, i),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("index", [-1, 99])
def test_an_index_that_is_not_there(call, index, unchecked):
    call(0)
    with pytest.raises(ValueError, match=rf"={index} is invalid: allowed are 0 to"):
        call(index)


def test_an_index_of_numpy_is_one_of_python(unchecked):
    (head, *_) = strongest_heads(WEIGHTS, np.int64(1))
    assert all(type(index) is int for index in head[:3])


def test_a_count_and_a_role():
    with pytest.raises(ValueError, match="count=-1 is invalid: allowed are whole numbers from 0"):
        strongest_heads(WEIGHTS, count=-1)
    with pytest.raises(ValueError, match="role='foo' is invalid: allowed are 'previous"):
        head_roles([TRACE]).strongest("foo")


@pytest.mark.parametrize(
    ("seq", "allowed"),
    [(0, "whole numbers from 1"), (10**30, "whole numbers from 1 to 1000000"), (9, "at most max_len=8")],
)
def test_positions_beyond_the_table(seq, allowed, unchecked):
    assert ENCODER.position_encoding(8).shape == (8, 8)
    with pytest.raises(ValueError, match=f"seq={seq} is invalid: allowed are {allowed}"):
        ENCODER.position_encoding(seq)


@pytest.mark.parametrize("value", [[[1.0], [1.0, 2.0]], "a", None])
def test_a_parameter_that_is_no_array_is_named(value, unchecked):
    parameters = {**ENCODER.parameters(), "layers.0.norm1.scale": value}
    with pytest.raises(ValueError, match=r"parameter 'layers.0.norm1.scale'"):
        Encoder.from_parameters(ENCODER.config, parameters)
    np.testing.assert_array_equal(
        Encoder.from_parameters(ENCODER.config, ENCODER.parameters()).trace(TRACE.ids).output, TRACE.output
    )
