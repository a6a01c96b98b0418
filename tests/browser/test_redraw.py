"""Where only numbers have changed, a plot is drawn again as Plotly.react would draw it, but not by Plotly.react."""

import pytest

from tests.browser.conftest import WIDE
from tests.browser.drawing import count_drawings, differences_from_react, drawings

CAUSAL = {"mask": "causal", "layer": 2}
EDITED = {"edits": "head.0.0=0.5;score.0.1.2.3=4", "head": 1}


@pytest.mark.parametrize(
    ("name", "link", "in_full"),
    [
        ("embedding", {}, 1),
        ("scaled_scores", CAUSAL, 0),
        ("softmax", {"cell": "pattern.0.0.0.3.5"}, 2),
        ("multi_head", EDITED, 0),
        ("feed_forward", {"d_ff": 64}, 1),
    ],
)
def test_a_plot_is_drawn_as_by_plotly(screen, name, link, in_full):
    screen.open(name, **link)
    for number, key in enumerate(("ArrowRight", "ArrowRight", "ArrowLeft")):
        count_drawings(screen)
        screen.press("d_model", key)
        done = drawings(screen)
        assert done["relayout"] > 1
        assert done["react"] <= in_full or not number, "the first move may add or remove marks"
        assert differences_from_react(screen) == []
    with screen.rerun():
        screen.page.mouse.click(*screen.place(0, 2, 3))
    assert differences_from_react(screen) == []
    count_drawings(screen)
    screen.resize(WIDE | {"width": 1400})
    assert drawings(screen)["relayout"] > 0
    assert differences_from_react(screen) == []


def test_other_masked_cells_and_wider_labels_are_drawn_as_by_plotly(screen):
    screen.open("scaled_scores", **CAUSAL)
    for text in ("several tokens", "extraordinary tokens", "three more tokens"):
        screen.page.get_by_role("textbox", name="Text").fill(text)
        count_drawings(screen)
        with screen.rerun():
            screen.page.keyboard.press("Control+Enter")
        assert drawings(screen)["relayout"] > 1
        assert differences_from_react(screen) == []
