"""Identities between the tensors of any trace."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, EncoderTrace
from tests.core.reference import random_parameters, relative_difference
from tests.core.strategies import VOCAB, configs, mask_names, seeds


class Case(NamedTuple):
    """An encoder and its inputs."""

    config: EncoderConfig
    batch: int
    seq: int
    mask: str | None
    seed: int

    def run(self) -> tuple[Encoder, EncoderTrace]:
        rng = np.random.default_rng(self.seed)
        encoder = Encoder.from_parameters(self.config, random_parameters(self.config, rng))
        return encoder, encoder.trace(rng.integers(0, VOCAB, (self.batch, self.seq)), self.mask)


cases = st.builds(
    Case,
    configs(max_layers=4) | configs(max_layers=4, free_qkv_dim=True),
    batch=st.integers(1, 3),
    seq=st.integers(1, 64),
    mask=mask_names,
    seed=seeds,
)


def assert_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert relative_difference(ours, theirs) < 2e-6


def linear(encoder: Encoder, name: str, x: np.ndarray) -> np.ndarray:
    parameters = encoder.parameters()
    kernel = parameters[f"{name}.kernel"].astype(np.float64)
    return x @ kernel + parameters.get(f"{name}.bias", 0)


def norm(encoder: Encoder, name: str, x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + encoder.config.norm_eps)
    return centred / deviation * encoder.parameters()[f"{name}.scale"] + encoder.parameters()[f"{name}.bias"]


def activation(name: str, x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    if name == "relu":
        return np.maximum(x, 0)
    if name == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@given(cases)
def test_the_residual_stream_of_consecutive_layers(case):
    encoder, trace = case.run()
    np.testing.assert_array_equal(trace.layers[0].resid_pre, trace.embedded)
    for layer, next_layer in zip(trace.layers, trace.layers[1:], strict=False):
        np.testing.assert_array_equal(next_layer.resid_pre, layer.resid_post)
    last = trace.layers[-1].resid_post
    if encoder.config.final_norm:
        assert relative_difference(trace.output, norm(encoder, "final_norm", last)) < 1e-4
    else:
        np.testing.assert_array_equal(trace.output, last)
    if encoder.config.output_head:
        assert_close(trace.logits, linear(encoder, "output_head", trace.output))
    else:
        assert trace.logits is None


@given(cases)
def test_embedding_plus_position(case):
    encoder, trace = case.run()
    d_model = encoder.config.d_model
    scale = {"none": 1, "sqrt_d": math.sqrt(d_model), "inv_sqrt_d": 1 / math.sqrt(d_model)}
    np.testing.assert_array_equal(trace.token_embedding, encoder.parameters()["token_embedding"][trace.ids])
    assert_close(trace.scaled_embedding, trace.token_embedding * scale[encoder.config.embedding_scale])
    np.testing.assert_array_equal(trace.embedded, trace.scaled_embedding + trace.position_encoding)


@given(cases)
def test_every_step_of_attention(case):
    encoder, trace = case.run()
    config = encoder.config
    scale = 1 / math.sqrt(config.d_head) if config.scale_scores else 1
    for index, layer in enumerate(trace.layers):
        batch, heads, seq, d_head = layer.q.shape
        assert (heads, d_head) == (config.num_heads, config.d_head)
        for array, name in ((layer.q, "query"), (layer.k, "key"), (layer.v, "value")):
            side_by_side = linear(encoder, f"layers.{index}.attention.{name}", layer.attn_in)
            assert_close(array, side_by_side.reshape(batch, seq, heads, d_head).swapaxes(1, 2))
        assert_close(layer.dot_products, layer.q @ layer.k.swapaxes(2, 3))
        assert_close(layer.scores[trace.mask], layer.dot_products[trace.mask] * np.float32(scale))
        assert np.isneginf(layer.scores[~trace.mask]).all()
        exp = np.exp(layer.scores.astype(np.float64))
        assert relative_difference(layer.pattern, exp / exp.sum(-1, keepdims=True)) < 2e-5
        np.testing.assert_allclose(layer.pattern.sum(-1), 1, rtol=1e-5)
        assert (layer.pattern[~trace.mask] == 0).all()
        assert_close(layer.z, layer.pattern @ layer.v)
        np.testing.assert_array_equal(layer.concat, layer.z.swapaxes(1, 2).reshape(batch, seq, -1))
        assert_close(layer.attn_out, linear(encoder, f"layers.{index}.attention.out", layer.concat))


@given(cases)
def test_head_contributions_and_the_bias_add_up_to_attn_out(case):
    encoder, trace = case.run()
    for index, layer in enumerate(trace.layers):
        bias = encoder.parameters().get(f"layers.{index}.attention.out.bias", np.float32(0))
        assert layer.head_contributions.shape == (*layer.z.shape[:3], encoder.config.d_model)
        assert_close(layer.head_contributions.sum(1) + bias, layer.attn_out)


@given(cases)
def test_residual_sums_norms_and_feed_forward(case):
    encoder, trace = case.run()
    post = encoder.config.norm == "post"
    for index, layer in enumerate(trace.layers):
        norm1, norm2 = f"layers.{index}.norm1", f"layers.{index}.norm2"
        np.testing.assert_allclose(layer.resid_mid, layer.resid_pre + layer.attn_out, rtol=1e-6, atol=1e-6)
        assert_close(layer.mlp_pre, linear(encoder, f"layers.{index}.mlp.up", layer.mlp_in))
        assert_close(layer.mlp_act, activation(encoder.config.activation, layer.mlp_pre))
        assert_close(layer.mlp_out, linear(encoder, f"layers.{index}.mlp.down", layer.mlp_act))
        if post:
            np.testing.assert_array_equal(layer.attn_in, layer.resid_pre)
            pairs = [
                (layer.mlp_in, norm(encoder, norm1, layer.resid_mid)),
                (layer.resid_post, norm(encoder, norm2, layer.mlp_in + layer.mlp_out)),
            ]
        else:
            np.testing.assert_allclose(layer.resid_post, layer.resid_mid + layer.mlp_out, rtol=1e-6, atol=1e-6)
            pairs = [
                (layer.attn_in, norm(encoder, norm1, layer.resid_pre)),
                (layer.mlp_in, norm(encoder, norm2, layer.resid_mid)),
            ]
        for ours, theirs in pairs:  # a norm of few nearly equal features loses digits
            assert relative_difference(ours, theirs) < (5e-6 if encoder.config.d_model >= 8 else 1e-3)


@given(cases)
def test_arrays_are_read_only_float32_of_exact_size(case):
    encoder, trace = case.run()
    c = encoder.config
    batch, seq = trace.ids.shape
    rows, heads, square = (batch, seq, c.d_model), (batch, c.num_heads, seq, c.d_head), (batch, c.num_heads, seq, seq)
    shapes = {
        "resid_pre": rows,
        "attn_in": rows,
        "q": heads,
        "k": heads,
        "v": heads,
        "dot_products": square,
        "scores": square,
        "pattern": square,
        "z": heads,
        "concat": (batch, seq, c.qkv_width),
        "attn_out": rows,
        "resid_mid": rows,
        "mlp_in": rows,
        "mlp_pre": (batch, seq, c.d_ff),
        "mlp_act": (batch, seq, c.d_ff),
        "mlp_out": rows,
        "resid_post": rows,
        "out_kernel": (c.qkv_width, c.d_model),
    }
    assert len(trace.layers) == c.num_layers
    for layer in trace.layers:
        assert {name: array.shape for name, array in layer._asdict().items()} == shapes
    floats = [array for layer in trace.layers for array in layer]
    floats += [trace.token_embedding, trace.scaled_embedding, trace.position_encoding, trace.embedded, trace.output]
    floats += [] if trace.logits is None else [trace.logits]
    assert {array.dtype for array in floats} == {np.dtype(np.float32)}
    for array in [*floats, trace.mask, trace.real, trace.ids]:
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@settings(max_examples=10)
@given(cases)
def test_a_batch_gives_the_same_numbers_as_single_sentences(case):
    encoder, trace = case.run()
    for index, sentence in enumerate(trace.ids):
        alone = encoder.trace(sentence[None], trace.mask[index : index + 1])
        np.testing.assert_array_equal(alone.output[0], trace.output[index])
        np.testing.assert_array_equal(alone.layers[-1].pattern[0], trace.layers[-1].pattern[index])


def test_without_positions_a_shuffled_input_gives_a_shuffled_output():
    ids, order = np.array([[3, 1, 4, 1, 5]]), np.array([4, 2, 0, 1, 3])
    for positions, holds in (("none", True), ("sinusoidal", False), ("learned", False)):
        encoder = Encoder.random(EncoderConfig(positions=positions))
        shuffled_last = encoder.trace(ids).output[:, order]
        shuffled_first = encoder.trace(ids[:, order]).output
        assert (relative_difference(shuffled_first, shuffled_last) < 1e-5) == holds


def test_only_attention_mixes_tokens():
    """One token changes. If each token attends only to itself, no other row changes; without a mask, all rows do."""
    encoder = Encoder.random(EncoderConfig(num_layers=2))
    rows = np.random.default_rng(0).standard_normal((1, 4, 64), np.float32)
    changed = rows.copy()
    changed[0, 2] = -rows[0, 2]

    def changed_rows(mask: np.ndarray | None, name: str) -> list[bool]:
        before, after = encoder.trace(rows, mask).layers[-1], encoder.trace(changed, mask).layers[-1]
        return (getattr(after, name) != getattr(before, name)).any(-1)[0].tolist()

    for name in ("resid_pre", "attn_out", "mlp_in", "mlp_act", "mlp_out", "resid_post"):
        assert changed_rows(np.eye(4, dtype=bool), name) == [False, False, True, False]
        assert changed_rows(None, name) == [True] * 4
