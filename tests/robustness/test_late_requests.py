"""What a visitor does on a page that the server has replaced, but the browser still shows."""

import time

import pytest

from benchmarks.client import ClientSession

ON_THE_WAY = 1.0  # seconds in which the server answers, but no answer reaches the browser


@pytest.mark.parametrize("seconds", [0.0, ON_THE_WAY])
def test_a_control_of_the_page_before(server, seconds):
    """The next page is shown, complete: the browser cannot draw a part of a page on which it is not."""
    with ClientSession(server, "/scaled_scores", timeout=60) as tab:
        link = next(link for link in tab.page_links() if link.page == "softmax")
        tab.send.follow(link)
        time.sleep(seconds)
        tab.send.set("head", "2")
        tab.wait()
        assert tab.texts("title") == ["Softmax weights"]
        assert tab.page == "softmax"
        assert len(tab.components("encoder_walkthrough.plot")) == 1
        assert tab.exceptions == []


def test_a_control_of_a_page_that_a_link_is_opening(server):
    """It is used before the page is complete."""
    with ClientSession(server, "/full_stack?layers=12&heads=16&d_model=256", timeout=60) as tab:
        for _ in range(3):
            tab.open("/full_stack?layers=12&heads=16&d_model=256&seed=3", wait=False)
            while "layer" not in tab.widgets():
                assert tab.receive(1) == 1
            tab.send.set("layer", "2")
            tab.wait()
            assert "layer=2" in tab.url
            assert tab.exceptions == []


def test_a_control_of_a_page_that_a_button_has_opened(server):
    with ClientSession(server, "/softmax", timeout=60) as tab:
        tab.follow("recipes")
        tab.click("open_recipe")
        assert tab.page == "map"
        head = next(key for key in tab.widgets() if key.startswith("head"))
        tab.set(head, "2")
        assert "head=2" in tab.url
