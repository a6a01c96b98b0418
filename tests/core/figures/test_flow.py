"""The diagram of a layer, and the curve of an activation."""

import numpy as np
import pytest

from encoder_core.figures import activation_curve, residual_flow


def _place_of(panel, name):
    return next((note["x"], note["y"]) for note in panel.figure.layout.annotations if note["text"] == name)


def test_norms_are_on_the_stream_with_post_norm_and_on_the_branches_with_pre_norm():
    post, pre = residual_flow("post", title="post"), residual_flow("pre", title="pre")
    stream = _place_of(post, "+")[1]
    for name in ("norm1", "norm2"):
        assert _place_of(post, name)[1] == stream
        assert _place_of(pre, name)[1] != stream


def test_pre_norm_comes_before_its_sublayer_and_post_norm_after():
    post, pre = residual_flow("post", title="post"), residual_flow("pre", title="pre")
    assert _place_of(post, "attention")[0] < _place_of(post, "norm1")[0]
    assert _place_of(pre, "norm1")[0] < _place_of(pre, "attention")[0]


def test_only_the_marked_norm_is_filled():
    def fills(marked):
        return [
            s["fillcolor"]
            for s in residual_flow("post", title="", marked=marked).figure.layout.shapes
            if s["type"] == "rect"
        ]

    plain, marked = fills(None), fills("norm2")
    assert sum(a != b for a, b in zip(plain, marked, strict=True)) == 1


def _stretches(panel):
    """The lines of the residual stream, from left to right: whether each of them is dashed."""
    lines = [
        shape for shape in panel.figure.layout.shapes if shape["type"] == "line" and shape["y0"] == shape["y1"] == 1
    ]
    assert [line["x0"] for line in lines] == [0, *(line["x1"] for line in lines[:-1])]  # without gaps
    return ["dash" in line["line"] and line["line"]["dash"] == "dash" for line in lines]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_removed_residual_is_dashed_and_its_factor_is_written(norm):
    assert _stretches(residual_flow(norm, title="")) == [False] * 5
    panel = residual_flow(norm, title="Block", factors=(0.0, 0.5))
    assert _stretches(panel) == [False, True, False, False, False]
    assert _place_of(panel, "× 0")[0] < 50 < _place_of(panel, "× 0.5")[0]
    assert "residual around attention is multiplied by 0;" in panel.alt


def test_every_neuron_is_a_dot_on_the_curve_and_the_selected_one_has_its_own_dot():
    x = np.linspace(-1, 1, 5)
    before = np.array([-0.5, 0.25, 1.0])
    after = np.maximum(before, 0)
    functions = {"ReLU": np.maximum(x, 0), "line": x}
    panel = activation_curve(x, functions, "ReLU", (before, after), 1, title="ReLU")
    clouds = [trace for trace in panel.figure.data if trace["mode"] == "markers"]
    np.testing.assert_allclose(clouds[0]["x"], before)
    np.testing.assert_allclose((clouds[1]["x"][0], clouds[1]["y"][0]), (0.25, 0.25))
    assert list(panel.figure.layout.xaxis["range"]) == [-1, 1]


def test_both_have_an_alt_text():
    x = np.zeros(2)
    curve = activation_curve(x, {"ReLU": x}, "ReLU", (x, x), 0, title="ReLU")
    for panel in (residual_flow("pre", title="Pre-norm"), curve):
        assert panel.alt
