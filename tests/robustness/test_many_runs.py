"""Many people press Run at the same time, each in a browser tab of their own."""

import time
from contextlib import ExitStack

from benchmarks.client import ClientSession

PEOPLE = 6
SMALL = (
    "train_task=copy&train_d_model=16&train_num_heads=2&train_d_ff=16&train_num_layers=1&train_batch=16&train_steps=100"
)
SECONDS = 240


def progress(session):
    """The text of the progress bar."""
    (text,) = session.texts("progress")
    return text


def test_all_wait_their_turn_and_all_runs_end(server):
    with ExitStack() as tabs:
        sessions = [
            tabs.enter_context(ClientSession(server, f"/training?{SMALL}&train_seed={i % 10}")) for i in range(PEOPLE)
        ]
        for session in sessions:
            session.click("training_run")
        texts = [progress(session) for session in sessions]
        assert any("in the queue; this server trains 2 at a time" in text for text in texts), texts
        end = time.monotonic() + SECONDS
        for session in sessions:
            while "finished" not in progress(session):
                assert time.monotonic() < end, progress(session)
                time.sleep(0.1)
                session.rerun()
        assert all("step 100 of 100" in progress(session) for session in sessions)
        assert len({session.url for session in sessions}) == PEOPLE, "each has a run of its own"
        assert [session.exceptions for session in sessions] == [[]] * PEOPLE
