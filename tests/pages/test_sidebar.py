"""The order of the controls in the sidebar."""

import pytest

from dashboard.page_list import stage_named
from tests.pages.app import opened


@pytest.mark.parametrize("link", [{}, {"encoder": "reverse"}], ids=["sizes to choose", "fixed sizes"])
def test_the_tab_key_goes_from_row_to_row_of_the_sizes(framed, link):
    at = opened(stage_named("softmax"), **link)
    assert [slider.label for slider in at.sidebar.select_slider][:4] == ["d_model", "heads", "layers", "d_ff"]
