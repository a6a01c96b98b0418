"""Colour scales. Weights: to the largest one, or to 1, on all pages. Scores: that of the dot products, or their own."""

import pytest

from dashboard.components import plot
from dashboard.page_list import stage_named
from dashboard.selection import weights_scale
from tests.pages.app import figures, key_of, opened, run

SHOWING_WEIGHTS = ["softmax", "weighted_values", "multi_head", "full_stack"]


def ends(at):
    """The upper end of the colour scale of each heatmap of attention weights."""
    maps = [figure for figure in figures(at) if figure["data"] and figure["data"][0].get("zmin") == 0]
    return [figure["data"][0]["zmax"] for figure in maps if figure["rows"]["kind"] == "query"]


@pytest.mark.parametrize("name", SHOWING_WEIGHTS)
def test_colours_end_at_the_largest_weight_unless_the_scale_is_full(framed, name):
    at = opened(stage_named(name))
    assert ends(at)
    assert all(0 < end < 1 for end in ends(at))
    at.toggle(key=key_of(at, "full_scale")).set_value(True)
    assert set(ends(run(at))) == {1}


def test_the_choice_applies_to_all_pages(framed):
    at = opened(stage_named("softmax"))
    at.toggle(key=key_of(at, "full_scale")).set_value(True)
    run(at)
    for name in SHOWING_WEIGHTS[1:]:
        run(at.switch_page(stage_named(name).path))
        run(at)  # AppTest brings the choice back one run later than a browser
        assert set(ends(at)) == {1}


@pytest.mark.parametrize("view", ["All heads", "Head average", "One word"])
def test_panels_of_the_full_stack_beside_each_other_share_one_scale(framed, view):
    at = opened(stage_named("full_stack"), view=view)
    scales = [figure["data"][0]["zmax"] for figure in figures(at) if figure["data"][0].get("zmin") == 0]
    assert len(scales) == 2
    assert scales[0] == scales[1]
    assert 0 < scales[0] < 1


def test_scores_share_the_colour_scale_of_the_dot_products_unless_they_have_their_own(framed):
    at = opened(stage_named("scaled_scores"))
    dots, scaled, masked = (figure["data"][0]["zmax"] for figure in list(figures(at))[2:])
    assert dots == scaled == masked
    assert any("All steps share one colour scale" in caption.value for caption in at.caption)
    at.toggle(key=key_of(at, "own_scales")).set_value(True)
    limits = [figure["data"][0]["zmax"] for figure in list(figures(run(at)))[2:]]
    assert limits == pytest.approx([dots, dots / 4, dots / 4])  # d_head is 16
    assert any("Q Kᵀ has a colour scale of its own" in caption.value for caption in at.caption)
    assert not any("own_scales" in toggle.key for toggle in opened(stage_named("scaled_scores"), scaled="false").toggle)


@pytest.mark.parametrize("name", ["softmax", "weighted_values"])
def test_the_figure_is_rendered_before_the_choice_below_it(framed, monkeypatch, name):
    """Otherwise the browser can have the choice alone for a while, and the figure then moves it."""
    calls = []

    def note(module, function):
        original = getattr(module, function)
        monkeypatch.setattr(
            module, function, lambda *values, **named: (calls.append(function), original(*values, **named))
        )

    note(plot, "render_plot")
    note(weights_scale, "render_weights_toggle")
    opened(stage_named(name))
    assert calls[:2] == ["render_plot", "render_weights_toggle"]
