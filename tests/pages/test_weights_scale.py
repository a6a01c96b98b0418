"""The colours of weights run from 0 to 1 on every page, or to the largest weight; the choice goes with the person."""

import pytest

from dashboard.page_list import stage_named
from tests.pages.app import figures, key_of, opened, run

SHOWING_WEIGHTS = ["softmax", "weighted_values", "multi_head", "full_stack"]


def ends(at):
    """Where the colours of each heatmap of weights that add up to one end."""
    maps = [figure for figure in figures(at) if figure["data"] and figure["data"][0].get("zmin") == 0]
    return [figure["data"][0]["zmax"] for figure in maps if figure["rows"]["kind"] == "query"]


@pytest.mark.parametrize("name", SHOWING_WEIGHTS)
def test_colours_end_at_one_unless_stretched(framed, name):
    at = opened(stage_named(name))
    assert set(ends(at)) == {1}
    at.toggle(key=key_of(at, "stretch")).set_value(True)
    assert ends(run(at))
    assert all(0 < end < 1 for end in ends(at))


def test_the_choice_goes_with_the_person(framed):
    at = opened(stage_named("softmax"))
    at.toggle(key=key_of(at, "stretch")).set_value(True)
    run(at)
    for name in SHOWING_WEIGHTS[1:]:
        run(at.switch_page(stage_named(name).path))
        run(at)  # AppTest brings the choice back one run later than a browser
        assert ends(at)
        assert all(end < 1 for end in ends(at))
