"""Bars of nearest words and of attention vectors."""

import numpy as np

from encoder_core.figures import theme_named
from encoder_core.pretrained import Neighbour
from encoder_core.scenes.inputs.nearest_words import nearest
from encoder_core.scenes.recipes import attention_vector

NEIGHBOURS = [Neighbour("king", 0.75, 3.0, 2.0), Neighbour("queen", 0.5, 2.0, 2.0), Neighbour("<b>", -0.25, -1.0, 2.0)]


def _outlined(panel):
    return [(shape.y0 + 0.5) for shape in panel.figure.layout.shapes]


def test_excluded_words_are_hatched_and_none_is_outlined():
    (panel,) = nearest(NEIGHBOURS, title="t", excluded={"king", "man"})
    bars, numbers = panel.figure.data
    np.testing.assert_allclose(bars.x, [0.75, 0.5, -0.25])
    assert list(bars.marker.pattern.shape) == ["/", "", ""]
    assert list(numbers.text) == ["0.75", "0.50", "−0.25"]
    assert _outlined(panel) == []  # an outline would look like the selected word
    assert panel.figure.layout.yaxis.ticktext == ("king", "queen", "&lt;b&gt;")
    assert panel.alt == "t: king 0.75, queen 0.50, <b> −0.25"


def test_bars_end_at_one_in_every_figure():
    scales = [nearest(words, title="t")[0].figure.layout.xaxis.range for words in (NEIGHBOURS[:1], NEIGHBOURS[:2])]
    assert scales == [(0, 1.15), (0, 1.15)]
    assert nearest(NEIGHBOURS, title="t")[0].figure.layout.xaxis.range[0] == -0.25


def test_an_attention_vector_shows_its_weights_and_outlines_the_largest():
    one, mean = np.array([0.0, 0.75, 0.25]), np.array([0.5, 0.25, 0.25])
    figures = attention_vector({"layer 4, head 2": one, "mean": mean}, tokens=["a", "b", "a"], theme="dark")
    assert [panel.title for panel in figures] == ["layer 4, head 2", "mean"]
    for panel, weights, largest in zip(figures, (one, mean), (1, 0), strict=True):
        np.testing.assert_allclose(panel.figure.data[0].x, weights)
        assert panel.figure.data[0].marker.color == theme_named("dark").attention
        assert _outlined(panel) == [largest]
        assert panel.figure.layout.xaxis.title.text == "sum 1.00"
    assert figures[0].figure.layout.xaxis.range == figures[1].figure.layout.xaxis.range
