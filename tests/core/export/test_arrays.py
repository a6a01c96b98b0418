"""The trace and the parameters as files: names of the public API, and the same numbers after loading."""

import io
import json

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load

from encoder_core import Dropout, Encoder, EncoderConfig
from encoder_core.export import parameters_safetensors, trace_arrays, trace_npz, trace_safetensors
from tests.core.export.subjects import ALL_EDITS, CONFIG, random_subject


def part(trace, name):
    """The array of a name, read through attributes."""
    for word in name.split("."):
        trace = trace[int(word)] if word.isdecimal() else getattr(trace, word)
    return trace


def test_names_are_paths_in_the_trace():
    trace = random_subject(edits=[Dropout(1, 0.2)]).run.trace
    arrays = trace_arrays(trace)
    assert all(arrays[name] is part(trace, name) for name in arrays)
    assert {"ids", "mask", "embedded", "layers.0.q", "layers.1.pattern", "output", "kept.layers.0.attn_out"} <= set(
        arrays
    )
    assert list(arrays).index("layers.1.resid_post") < list(arrays).index("output")
    assert "logits" not in arrays  # the model has no output head


def test_a_trace_by_hand_after_loading():
    # One token, one head, one dimension, everything 1 and no bias: all weights are 1, the norms give 0.
    config = EncoderConfig(
        vocab_size=2, max_len=4, d_model=1, num_heads=1, d_ff=1, num_layers=1, positions="none", use_bias=False
    )
    names = [f"layers.0.{x}.kernel" for x in ("attention.query", "attention.key", "attention.value", "attention.out")]
    names += ["layers.0.mlp.up.kernel", "layers.0.mlp.down.kernel"]
    parameters = {name: np.ones((1, 1)) for name in names} | {"token_embedding": np.array([[5.0], [3.0]])}
    parameters |= {f"layers.0.norm{n}.{x}": np.full(1, x == "scale") for n in (1, 2) for x in ("scale", "bias")}
    run = Encoder.from_parameters(config, parameters).run(np.array([[1]]))
    with np.load(io.BytesIO(trace_npz(run))) as loaded:
        assert loaded["token_embedding"].tolist() == [[[3.0]]]
        assert loaded["layers.0.scores"].tolist() == [[[[9.0]]]]
        assert loaded["layers.0.resid_mid"].tolist() == [[[6.0]]]
        assert loaded["output"].tolist() == [[[0.0]]]
        assert "tokens" not in loaded


def test_both_formats_have_the_same_arrays():
    subject = random_subject(edits=ALL_EDITS)
    with np.load(io.BytesIO(trace_npz(subject.run))) as npz:
        tensors = load(trace_safetensors(subject.run))
        assert set(npz) == {"tokens", *tensors}
        assert all(np.array_equal(npz[name], tensors[name]) for name in tensors)
        assert npz["tokens"].tolist() == [list(sentence) for sentence in subject.run.trace.tokens]


def test_parameters_are_those_after_the_edits(tmp_path, unchecked):
    subject = random_subject(edits=ALL_EDITS)
    path = tmp_path / "parameters.safetensors"
    path.write_bytes(parameters_safetensors(subject.run))
    with safe_open(path, "numpy") as file:
        metadata = file.metadata()
        parameters = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dictionary
    assert parameters["token_embedding"][3, 2] == 1.5
    config = EncoderConfig(**json.loads(metadata["config"]))
    assert config == CONFIG
    again = Encoder.from_parameters(config, parameters).run(subject.run.trace.ids)
    assert np.array_equal(again.trace.token_embedding, subject.run.trace.token_embedding)
    assert json.loads(metadata["edits"])[0] == "token_embedding.3.2=1.5"
    assert json.loads(metadata["tokens"]) == [list(sentence) for sentence in subject.run.trace.tokens]
