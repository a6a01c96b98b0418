"""Edits that make numbers too large for float32 raise an error; all other edits give finite numbers."""

import warnings
from dataclasses import replace
from typing import get_args
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, NumbersTooLarge, Run, Temperature
from encoder_core.config import DropoutPlace
from encoder_core.edits import parse_edit
from encoder_core.explain.overflow import check_numbers

POST = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, d_ff=8, num_layers=4, dropout_at=get_args(DropoutPlace))
PRE = replace(POST, norm="pre", final_norm=True, output_head=True, embedding_scale="sqrt_d", activation="gelu_tanh")
NORMED = replace(POST, num_layers=1, embedding_norm=True, attention_read_out="input", scale_scores=False)
ENCODERS = [Encoder.random(config) for config in (POST, PRE, NORMED)]
IDS = np.array([[1, 2, 3], [4, 5, 6]])


def tensors_of_run(run: Run):
    """All tensors, except masked scores."""
    trace = run.trace
    for name in ("scaled_embedding", "embedding_sum", "embedded", "output", "logits"):
        if getattr(trace, name) is not None:
            yield name, getattr(trace, name)
    for layer in trace.layers:
        yield "head_contributions", layer.head_contributions
        yield from ((name, array) for name, array in layer._asdict().items() if name != "scores")
        yield "visible scores", layer.scores[trace.mask]


def test_a_residual_stream_that_grows_by_1000_with_each_sum():
    """1000^8 = 1e24 is finite, but the next norm computes its square, which is not."""
    edits = [parse_edit(f"residual.{layer}.{name}=1000") for layer in range(4) for name in ("attention", "mlp")]
    pre = ENCODERS[1]
    assert np.abs(pre.run(IDS, None, edits[:4]).trace.output).max() < 100  # after the final norm
    with pytest.raises(NumbersTooLarge, match=r"^These edits make numbers too large for 32-bit floats: .* layer=3 "):
        pre.run(IDS, None, edits)
    with pytest.raises(ValueError, match="too large for 32-bit floats"):
        pre.trace(IDS, None, edits)
    assert np.abs(ENCODERS[0].run(IDS, None, edits).trace.output).max() < 100  # post-norm normalises each sum


def changed(run: Run, name: str, value: float) -> Run:
    """The run with one number of a tensor of the trace or of its last layer changed."""
    holder = run.trace if name in run.trace._fields else run.trace.layers[-1]
    array = np.array(getattr(holder, name))
    array[(0,) * array.ndim] = value
    holder = holder._replace(**{name: array})
    return replace(run, trace=holder if name in run.trace._fields else run.trace._replace(
        layers=(*run.trace.layers[:-1], holder)))  # fmt: skip


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["embedded", "q", "dot_products", "pattern", "z", "mlp_pre", "mlp_act", "logits"])
def test_the_error_names_a_tensor_that_is_not_finite(name, value):
    run = ENCODERS[1].run(IDS, "causal")
    check_numbers(run)
    with pytest.raises(NumbersTooLarge, match=f" {name} "):
        check_numbers(changed(run, name, value))


@pytest.mark.parametrize(("name", "message"), [("resid_mid", "norm2 of layer=3"), ("resid_post", "resid_post")])
def test_squares_that_are_not_finite(name, message):
    run = ENCODERS[1].run(IDS)
    check_numbers(changed(run, name, 1e18))
    with pytest.raises(NumbersTooLarge, match=f"sum of the squares of a row .*{message}"):
        check_numbers(changed(run, name, 2e19))


def test_squares_of_dot_products_may_overflow():
    check_numbers(changed(ENCODERS[0].run(IDS), "dot_products", 1e37))


extreme = st.sampled_from(["0", "1", "-1", "1e6", "-1e6", "1000", "-1000", "1e-300", "0.001", "1e300", "2.5"])
small = st.integers(0, 4)
kinds = [
    st.builds("token_embedding.{}.{}={}".format, small, small, extreme),
    *(
        st.builds((name + ".{}.{}.{}.{}={}").format, small, small, small, small, extreme)
        for name in ("wq", "wk", "wv", "wo")
    ),
    st.builds("token.{}.{}={}".format, small, small, small),
    st.builds("hide.{}.{}".format, small, small),
    st.builds("embedded.{}.{}.{}={}".format, small, small, small, extreme),
    st.just("unscaled"),
    st.builds("score.{}.{}.{}.{}.{}={}".format, small, small, small, small, small, extreme),
    st.builds("temperature={}".format, extreme),
    st.builds("head.{}.{}={}".format, small, small, extreme),
    st.builds("residual.{}.{}={}".format, small, st.sampled_from(["attention", "mlp"]), extreme),
    st.builds("dropout.{}={}".format, st.integers(0, 10**17), st.sampled_from(["0", "0.5", "0.999", "1"])),
    st.builds("dropout.{}".format, small),
]
LARGE = [f"{name}.0.0.{cell}.0=1e6" for name in ("wq", "wk", "wv", "wo") for cell in range(4)]
LARGE += [f"embedded.0.{token}.0={sign}1e6" for token, sign in ((0, ""), (1, "-"))] + ["temperature=0.001"]
GROWING = [f"residual.{layer}.{name}=1000" for layer in range(4) for name in ("attention", "mlp")]


@settings(max_examples=20)
@given(st.sampled_from(ENCODERS), st.lists(st.one_of(kinds), max_size=24), st.sampled_from([None, "causal"]))
@example(ENCODERS[0], LARGE, None)
@example(ENCODERS[1], LARGE, None)
@example(ENCODERS[1], GROWING, "causal")
@example(ENCODERS[1], [*GROWING, "unscaled", "dropout.1", "dropout.2", "head.0.0=1000", "head.0.0=2"], None)
def test_any_list_of_edits_gives_a_finite_trace_or_an_error(encoder, texts, mask):
    edits = [parse_edit(text) for text in texts]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run, problems = encoder.run_with_compatible_edits(IDS, mask, edits)
        message = ""
        try:
            encoder.run(IDS, mask, edits)
        except ValueError as error:
            message = str(error)
    assert message == "" or message.endswith(".")
    assert (message != "") == (problems != ()) == (run.edits != tuple(edits))
    assert len(problems) == len(edits) - len(run.edits)
    assert all(problem.startswith("The edit “") for problem in problems)
    for name, numbers in tensors_of_run(run):
        assert np.isfinite(numbers).all(), name
    for layer in run.trace.layers:
        if run.trace.kept is None:
            has_visible_key = np.isfinite(layer.scores).any(axis=-1)
            np.testing.assert_allclose(layer.pattern.sum(axis=-1), has_visible_key, atol=1e-5)


def test_the_last_edits_are_ignored_until_all_numbers_are_finite():
    edits = [parse_edit(text) for text in [*GROWING, "unscaled"]]
    run, problems = ENCODERS[1].run_with_compatible_edits(IDS, None, edits)
    accepted = len(run.edits)
    assert 3 < accepted < 8
    assert run.edits == tuple(edits[:accepted])
    assert [problem.split("”")[0] for problem in problems] == [
        f"The edit “{text}" for text in ["unscaled", *GROWING[accepted:][::-1]]
    ]
    assert all("too large for 32-bit floats" in problem for problem in problems)
    with pytest.raises(NumbersTooLarge):
        ENCODERS[1].run(IDS, None, edits[: accepted + 1])


def test_invalid_inputs_raise_an_error():
    with pytest.raises(ValueError, match="allowed are 0 to 8"):
        ENCODERS[0].run_with_compatible_edits(np.array([[99]]), None, [Temperature(2.0)])


def test_large_scores_divided_by_a_small_temperature():
    """Scores of +-5e10 at T = 0.1: the key with the largest score has weight 1."""
    texts = ["wq.0.0.0.0=1e5", "wk.0.0.0.0=1e5", "embedded.0.0.0=1e6", "embedded.0.1.0=-1e6", "temperature=0.1"]
    layer = ENCODERS[1].run(IDS, None, [parse_edit(text) for text in texts]).trace.layers[0]
    best = layer.scores[0, 0].argmax(axis=-1)
    np.testing.assert_allclose(layer.pattern[0, 0], np.eye(3)[best], atol=1e-6)


def test_embeddings_that_are_too_large():
    config = EncoderConfig(d_model=8, num_heads=2, num_layers=1)
    encoder, x = Encoder.random(config), np.full((1, 2, 8), 1e20, np.float32)
    for edits, cause in (([], "These embeddings make"), ([Temperature(1.0)], "These embeddings and edits make")):
        with pytest.raises(NumbersTooLarge, match=cause):
            encoder.run(x, edits=edits)
    assert np.isfinite(encoder.trace(x / 1e20).output).all()


def test_only_large_parameters_are_checked_at_each_run(monkeypatch):
    check = Mock(wraps=check_numbers)  # counts the calls, and checks as before
    monkeypatch.setattr("encoder_core.encoder.encoder.check_numbers", check)
    small = Encoder.random(POST)
    for encoder in (small, Encoder.from_parameters(POST, small.parameters())):
        encoder.trace(np.array([[1, 2]]))
    assert not check.called
    large = small.parameters() | {"token_embedding": small.parameters()["token_embedding"] * np.float32(1e6)}
    encoder = Encoder.from_parameters(POST, large)
    for _ in range(2):
        encoder.trace(np.array([[1, 2]]))
    assert [call.kwargs for call in check.call_args_list] == [{"large_parameters": True}] * 2
