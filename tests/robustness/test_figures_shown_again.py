"""A figure that is shown again after others, although the browser has just forgotten it."""

import time

from benchmarks.client import ClientSession

ON_THE_WAY = 1.0  # seconds in which the server answers, but no answer reaches the browser


def test_a_move_back_before_the_answer_to_the_last_move_has_arrived(server):
    """No message refers to one that the browser no longer has: that would be its end, with an error on screen.

    Streamlit can replace a long message by a reference where the browser says, with its request, that it still has it.
    It forgets what two runs have not shown. So when it asks before it has read the end of the second run, it has
    forgotten the message by the time the reference arrives.
    """
    with ClientSession(server, "/scaled_scores", timeout=60) as tab:
        key = next(key for key in tab.widgets() if key.startswith("d_model"))
        for width in (60, 56):
            tab.set(key, str(width))
        tab.send.set(key, "52")
        time.sleep(ON_THE_WAY)
        tab.send.set(key, "60")
        tab.wait()
        assert "d_model=60" in tab.url
        assert tab.exceptions == []
