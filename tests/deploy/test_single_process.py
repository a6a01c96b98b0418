"""One process behind nginx: when it is killed, it starts again on the same port, and its visitors return."""

import time

from tests.browser.conftest import WIDE
from tests.deploy.lost_server import visitor

PROCESSES = 1
# Seconds. It takes 3 to 8: the start, and the pauses of up to 4 s that the browser makes between two tries.
LOST_AT_MOST = 20.0


def test_the_visitor_of_a_process_that_starts_again_returns(browser, running):
    (port,) = running.apps()
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    try:
        tab = visitor(context, running, port, "scaled_scores", edit=True)
        before = running.apps()
        running.kill(port)
        start = time.monotonic()
        tab.wait_until_lost()
        tab.check_return(start, LOST_AT_MOST)
        assert running.apps().keys() == before.keys()
        assert running.apps() != before
        tab.check_next_move()
    finally:
        context.close()
