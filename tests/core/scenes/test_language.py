"""The scenes of words: panels show the measured numbers, and the selected head and token are outlined."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, attention_from, head_roles, same_word_similarity, sentence_vectors
from encoder_core.analysis import visible_keys
from encoder_core.figures import Window, panels_of, theme_named
from encoder_core.scenes import language
from encoder_core.scenes.focus import Focus

TOKENS = ("the", "<b>", "sat", ",", "down")


@pytest.fixture(scope="module")
def trace():
    config = EncoderConfig(vocab_size=12, d_model=12, num_heads=3, d_ff=8, num_layers=2)
    return Encoder.random(config, seed=0).trace(["the cat sat, down", "it sat"], "padding")


def test_one_word_has_a_row_for_each_head_and_the_weights_on_one_key(trace):
    weights = attention_from(trace, 1, 1)
    visible, at = visible_keys(trace, 1)[:, :, 1], Focus(sentence=1, layer=1, head=2, token=1, labels=TOKENS)
    sheet, to_key = panels_of(language.one_word(weights, visible, at, limit=0.5))
    np.testing.assert_array_equal(sheet.figure.data[0].z[4:, :2], weights[1, :, :2])  # three heads and a gap above
    assert np.isnan(sheet.figure.data[0].z[:, 2:]).all()  # padding is masked
    np.testing.assert_array_equal(to_key.figure.data[0].z, weights[:, :, 0])
    assert (sheet.figure.data[0].zmax, to_key.figure.data[0].zmax) == (0.5, 0.5)
    assert (sheet.tiles.rows.kind, sheet.rows.kind, sheet.columns.kind) == ("layer", "head", "key")
    assert (to_key.rows.kind, to_key.columns.kind) == ("layer", "head")
    assert sheet.figure.layout.xaxis.ticktext[1] == "&lt;b&gt;"


def test_the_weights_of_a_role_and_the_strongest_head_of_each(trace):
    measured = head_roles([trace])
    assert measured.roles == ("previous", "next", "itself", "punctuation")
    role, bars = panels_of(
        language.head_roles(measured, "next", Focus(head=1), description="the token after", limit=0.7)
    )
    np.testing.assert_array_equal(role.figure.data[0].z, measured.weights[1].astype(np.float32))
    assert role.figure.data[0].zmax == 0.7
    np.testing.assert_allclose(bars.figure.data[0].x, measured.weights.max(axis=(1, 2)), rtol=1e-6)
    np.testing.assert_allclose(bars.figure.data[1].x, measured.uniform, rtol=1e-6)
    assert (bars.figure.layout.shapes[0].y0, bars.figure.layout.shapes[0].y1) == (0.5, 1.5)


def test_the_control_is_grey_for_any_number_of_sentences(trace):
    cosines, between = same_word_similarity(trace, (0, 2), (1, 1)), np.zeros((3, 2), np.float32)
    for count in (1, 3):
        series = {f"in sentence {i + 2}": cosines for i in range(count)}
        lines, heat = panels_of(
            language.same_word(
                series, cosines / 2, between, ["in", "1", "2"], titles=("a", "b"), tokens=["it", "sat"], token=1
            )
        )
        assert lines.figure.data[-1].name == language.CONTROL
        muted = theme_named("light").muted
        assert [line.line.color == muted for line in lines.figure.data] == [False] * count + [True]
        np.testing.assert_array_equal(lines.figure.data[0].y, cosines)
        assert (heat.figure.layout.shapes[0].x0, heat.figure.layout.shapes[0].x1) == (0.5, 1.5)
    lines, _ = panels_of(language.same_word(series, None, between, ["in", "1", "2"], titles=("a", "b"),
                                          tokens=["it", "sat"], token=1))  # fmt: skip
    assert language.CONTROL not in [line.name for line in lines.figure.data]


def test_cosines_of_few_sentences_are_written_into_their_cells(trace):
    vectors = sentence_vectors(trace)
    left, right = panels_of(language.sentences(vectors, vectors @ vectors.T, Window(4, 8), sentence=1))
    np.testing.assert_array_equal(left.figure.data[0].z, vectors[:, 4:8])
    assert left.figure.layout.xaxis.ticktext == ("4", "5", "6", "7")
    np.testing.assert_array_equal(right.figure.data[0].z, vectors @ vectors.T)
    assert right.figure.data[0].texttemplate == "%{z:.2f}"
    many = np.eye(language.MAX_WRITTEN + 1, dtype=np.float32)
    _, right = panels_of(language.sentences(many, many, Window(0, 4), sentence=0))
    assert right.figure.data[0].texttemplate is None
