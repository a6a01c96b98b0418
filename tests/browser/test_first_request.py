"""A server that has served nobody yet."""

from tests.browser.conftest import WIDE
from tests.browser.engine import scaled_scores, trace_of
from tests.browser.screen import visitor
from tests.servers import APP, running


def test_a_link_into_the_app_as_the_very_first_request_shows_the_frame(browser, tmp_path):
    log, sockets = tmp_path / "log.txt", []
    with running(APP, log) as url, visitor(browser, url, viewport=WIDE) as screen:
        screen.page.on("websocket", lambda socket: sockets.append(socket.url))
        screen.page.set_default_timeout(60_000)  # it compiles
        screen.open("scaled_scores", d_model=32, token=3)
        assert (screen.says("d_model"), screen.looked_at("token")) == (32, "3 · cat")
        assert screen.page.locator(".st-key-rail").count() == 1
        screen.shows(*scaled_scores(trace_of(d_model=32), 1, 1))
        assert screen.press("d_model", "ArrowRight") == 36
        screen.shows(*scaled_scores(trace_of(d_model=36), 1, 1))
        (streamlit,) = sockets  # without the server of `make run`, there is no other one for figures
        assert streamlit.endswith("/_stcore/stream")
    assert "Traceback" not in log.read_text()
