"""Positions: every section of the page is about the encoding that is chosen."""

import numpy as np
import pytest

from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.lessons.positions.shuffle import _order, _verdict, output_changes
from dashboard.lessons.positions.similarity import _spread
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from encoder_core import RECIPES, Encoder
from encoder_core.analysis import similarity_by_distance
from tests.pages.app import figures, opened, rendered

CHANGE = ": change of the output"


def shuffle_titles(at):
    return [panel["title"].removesuffix(CHANGE) for panel in figures(at) if panel["title"].endswith(CHANGE)]


@pytest.mark.parametrize(
    ("link", "titles", "lengths"),
    [
        ({}, ["with positions", "without positions"], "Every sine has a cosine"),
        ({"encoding": "learned"}, ["with positions (learned table)", "without positions"], "The rows of this table"),
        ({"positions": "learned"}, ["with positions", "without positions"], "The rows of this table"),
        ({"encoding": "none"}, ["without positions"], None),
        ({"positions": "none"}, ["without positions"], None),
        ({"positions": "none", "encoding": "concatenated"},
         ["with positions (sinusoids, concatenated)", "without positions"], "Every sine has a cosine"),
    ],
)  # fmt: skip
def test_sections_are_about_the_chosen_encoding(framed, link, titles, lengths):
    at = opened(stage_named("positions"), **link)
    assert shuffle_titles(at) == titles
    texts = "\n".join(rendered(at))
    starts = ("Every sine has a cosine", "The rows of this table differ", "Not every sine")
    assert [start for start in starts if start in texts] == [start for start in starts if lengths and lengths in start]
    assert ("instead of the model's" in texts) is any("(" in title for title in titles)


def test_bars_are_those_of_the_encoder_with_the_chosen_encoding():
    """A model that has the learned table of its own gives the same numbers as one that borrows it."""
    own = output_changes(Settings.from_state({"positions": "learned"}), 0, 1, "learned")
    borrowed = output_changes(Settings.from_state({}), 0, 1, "learned")
    sinusoids = output_changes(Settings.from_state({}), 0, 1, "sinusoidal")
    np.testing.assert_allclose(own["with positions"], borrowed["with positions"], atol=1e-5)
    assert np.abs(borrowed["with positions"] - sinusoids["with positions"]).max() > 0.1


def test_without_positions_there_is_one_figure():
    changes = output_changes(Settings.from_state({}), 0, 1, "none")
    assert list(changes) == ["without positions"]
    assert changes["without positions"].max() < 1e-4


def test_the_order_matters_where_a_mask_hides_keys_by_their_place():
    """Which keys the mask of the recipe hides does not depend on the tokens: it is not shuffled with them."""
    inputs, mask, _ = RECIPES["haiku"].inputs(0)
    ids, mask, order = inputs.ids[:1], np.asarray(mask)[:1], np.roll(np.arange(inputs.ids.shape[1]), 1)
    encoder = Encoder.recipe("haiku")
    output = encoder.trace(ids, mask).output[:, order]
    assert np.abs(encoder.trace(ids[:, order], mask).output - output).max() > 0.1
    np.testing.assert_allclose(encoder.trace(ids[:, order], mask[..., order]).output, output, atol=1e-5)
    assert "Unless the mask hides keys by their place" in ENCODINGS["none"].meaning


def test_rounding_does_not_fill_the_figure(framed):
    """Numbers of 1e-6 are drawn as what they are: nothing next to outputs of length 8."""
    at = opened(stage_named("positions"), positions="none")
    (bars,) = [panel for panel in figures(at) if panel["title"].endswith(CHANGE)]
    assert bars["layout"]["xaxis"]["range"][1] >= 1


@pytest.mark.parametrize(("variant", "name"), [("as intended", "sinusoidal"), ("as written", "per dimension")])
def test_the_encoding_of_the_model_is_named_as_its_button(framed, variant, name):
    at = opened(stage_named("positions"), encoder="article", variant=variant)
    assert f"Position encoding shown (this model: {name})" in rendered(at)
    assert name in next(group for group in at.button_group if group.key.startswith("encoding")).options


@pytest.mark.parametrize("encoding", ["learned", "sinusoidal"])
def test_the_curve_by_distance_begins_at_different_positions(framed, encoding):
    """A position with itself has a far larger dot product: beside it, the curve would be a flat line."""
    at = opened(stage_named("positions"), encoding=encoding)
    (curve,) = [panel for panel in figures(at) if panel["kind"] == "band"]
    assert curve["title"] == "by distance, from 1 on"
    (text,) = [text for text in rendered(at) if "The curve leaves out distance 0" in text]
    assert ("its squared length, 32." in text) == (encoding == "sinusoidal")  # 32 pairs of sine and cosine


@pytest.mark.parametrize(
    ("change", "order_matters", "has_effect"), [(0.3, True, True), (1e-6, True, False), (7e-4, False, False)]
)
def test_a_mask_makes_the_order_matter_only_where_an_output_changes(change, order_matters, has_effect):
    """Equal tokens can change places under a causal mask without any effect."""
    verdict = _verdict("causal", change, order_matters=order_matters)
    assert ("makes the output depend on the order" in verdict) == has_effect
    assert ("up to rounding" in verdict) != has_effect


def test_a_shuffle_changes_the_order_of_two_tokens():
    """A random permutation of two is the identity for every other seed."""
    assert [_order(2, seed).tolist() for seed in range(1, 9)] == [[1, 0]] * 8


def test_positions_with_themselves_are_no_pairs_at_one_distance():
    low, _, high = similarity_by_distance(np.diag([1.0, 2.0, 3.0]) + 5)
    assert high[0] - low[0] == 2
    assert _spread(low, high) == 0
