"""The queue of training runs and what is stored, with a clock and a process of the test's own."""

import numpy as np
import pytest

from dashboard.training import registry as registry_module
from dashboard.training import storage as storage_module
from dashboard.training.registry import IDLE, UNSEEN, RunRegistry
from dashboard.training.storage import MAX_PER_OWNER, RunStorage
from encoder_core.training import Evaluation, RunState, Steps, TrainingPlan
from encoder_core.training.messages import CheckpointMade, Failed, Finished, Pause, Paused, Start, StepsMade, Stop

PLAN = TrainingPlan(steps=100)
STATE = RunState(10, {}, (), {}, PLAN)


class FakeProcess:
    def __init__(self):
        self.requests = []
        self.is_closed = False

    def send(self, request):
        self.requests.append(request)

    def close(self):
        self.is_closed = True


class World:
    """A registry with two active runs, a clock that the test sets, and sessions that the test closes."""

    def __init__(self, max_bytes=10**9, max_active=2):
        self.now = 0.0
        self.closed = set()
        self.processes = []
        storage = RunStorage(max_bytes, lambda session: session not in self.closed)
        self.registry = RunRegistry(storage, max_active, self._start, lambda: self.now)

    def _start(self, _):
        self.processes.append(FakeProcess())
        return self.processes[-1]

    def start(self, owner, *plans):
        return self.registry.start(plans or [PLAN], owner)

    def report(self, *reports):
        for report in reports:
            self.registry.receive(self.processes[-1], report)

    def requests(self, kind):
        return [request.run for request in self.processes[-1].requests if isinstance(request, kind)]

    def wait(self, seconds):
        for _ in range(int(seconds)):
            self.now += 1
            self.registry.tick()


def measured(run, last, count=10, seconds=0.1):
    parts = len(run.plan.parts)
    return StepsMade(run.id, last, Steps(np.full(count, last), np.zeros(count), np.ones((count, parts))), seconds)


def checkpoint(run, step, size=1_000):
    return CheckpointMade(run.id, step, {"a": np.zeros(size // 4, np.float32)}, Evaluation(1.0, 0.5, 0.25, 0.0))


@pytest.fixture
def world():
    return World()


def test_two_runs_are_trained_and_the_others_wait_in_order(world):
    runs = [world.start(f"person {number}") for number in range(20)]
    assert [run.status for run in runs] == ["starting"] * 2 + ["queued"] * 18
    assert [world.registry.position(run) for run in runs] == [0, 0, *range(1, 19)]
    world.report(Finished(runs[0].id))
    assert runs[2].status == "starting"
    assert world.registry.position(runs[3]) == 1
    for run in runs[1:]:
        world.report(Finished(run.id))
    assert {run.status for run in runs} == {"finished"}
    assert world.requests(Start) == [run.id for run in runs]


def test_what_the_process_reports_is_kept(world):
    run = world.start("me")
    world.report(checkpoint(run, 0), measured(run, 10, seconds=0.0), checkpoint(run, 10), measured(run, 20))
    assert (run.status, run.step, run.speed) == ("running", 20, pytest.approx(100.0))
    history = run.history
    assert history.steps.loss.tolist() == [10.0] * 10 + [20.0] * 10
    assert history.checkpoint_steps == (0, 10)
    assert [run.checkpoint_at(step).step for step in (None, 0, 9, 10, 99)] == [10, 0, 0, 10, 10]


def test_pause_resume_and_stop(world):
    run = world.start("me")
    world.registry.pause(run)
    assert (run.status, world.requests(Pause)) == ("pausing", [run.id])
    world.report(measured(run, 10), Paused(run.id, STATE))
    assert (run.status, run.state) == ("paused", STATE)
    world.registry.resume(run, until=20)
    assert world.processes[-1].requests[-1] == Start(run.id, PLAN, STATE, 20)
    world.registry.stop(run)
    assert (run.status, world.requests(Stop)) == ("stopped", [run.id])
    world.report(measured(run, 30), Finished(run.id))  # was sent before the process knew
    assert (run.status, run.step) == ("stopped", 10)


def test_a_run_pauses_when_its_last_viewer_looks_at_something_else(world):
    run = world.start("me")
    world.registry.find(run.id, "you")
    world.registry.leave(run, "me")
    assert run.status == "starting"
    world.closed.add("you")
    world.registry.leave(run, "me")
    assert (run.status, world.requests(Pause)) == ("pausing", [run.id])


def test_who_has_left_a_run_does_not_keep_it_going(world):
    run = world.start("me")
    world.registry.find(run.id, "you")
    world.registry.leave(run, "me")  # whose page is still open, with something else
    world.registry.leave(run, "you")
    assert run.status == "pausing"


def test_a_paused_run_leaves_its_place_to_the_next(world):
    runs = [world.start(f"person {number}") for number in range(3)]
    world.registry.pause(runs[2])
    assert runs[2].status == "paused"
    world.registry.resume(runs[2])
    world.registry.pause(runs[0])
    world.report(Paused(runs[0].id, STATE))
    assert runs[2].status == "starting"


def test_a_paused_run_does_not_start_by_itself(world):
    runs = [world.start(f"person {number}") for number in range(3)]
    world.registry.pause(runs[2])
    world.report(Finished(runs[0].id))
    assert (runs[2].status, world.registry.position(runs[2])) == ("paused", 0)


def test_a_run_until_a_step_that_it_has_made_stays_paused(world):
    run = world.start("me")
    world.report(measured(run, 10), Paused(run.id, STATE))
    world.registry.resume(run, until=10)
    assert run.status == "paused"
    world.registry.resume(run, until=11)
    assert (run.status, run.until) == ("starting", 11)


def test_the_speed_is_a_running_mean(world):
    """100 steps a second, then 200: 0.9 · 100 + 0.1 · 200."""
    run = world.start("me")
    world.report(measured(run, 10, seconds=0.1), measured(run, 20, seconds=0.05))
    assert run.speed == pytest.approx(110)


def test_a_comparison_is_two_runs_that_know_each_other(world):
    first = world.start("me", PLAN, TrainingPlan(steps=100, norm="pre"))
    second = world.registry.partner(first)
    assert (second.plan.norm, world.registry.partner(second)) == ("pre", first)


def test_another_run_of_the_same_session_stops_the_one_before(world):
    first, other = world.start("me"), world.start("you")
    second = world.start("me")
    assert (first.status, other.status, second.status) == ("stopped", "starting", "starting")
    assert "Another run" in first.sentence


def test_of_a_comparison_that_ends_no_run_is_started_before_the_new_one():
    world = World(max_active=1)
    first = world.start("me", PLAN, TrainingPlan(steps=100, norm="pre"))
    second = world.start("me")
    assert [type(request) for request in world.processes[-1].requests] == [Start, Stop, Start]
    assert world.requests(Start) == [first.id, second.id]


def test_a_run_ends_when_nobody_has_it_open(world):
    mine, yours = world.start("me"), world.start("you")
    world.registry.find(yours.id, "a friend")
    world.closed |= {"me", "you"}
    world.wait(UNSEEN + 2)
    assert (mine.status, yours.status) == ("stopped", "starting")
    assert "30 seconds" in mine.sentence
    world.closed.add("a friend")
    world.wait(UNSEEN - 5)
    world.closed.remove("a friend")  # a reload
    world.wait(UNSEEN + 2)
    assert yours.status == "starting"


def test_a_paused_run_that_nobody_sees_ends_without_a_process(world):
    mine, other = world.start("me"), world.start("they")
    world.report(Paused(mine.id, STATE), Finished(other.id))
    world.wait(IDLE + 2)
    assert world.processes[-1].is_closed
    world.closed.add("me")
    for _ in range(int(UNSEEN) + 2):  # no process reports that time passes
        world.now += 1
        world.registry.find(other.id, "they")
    assert (mine.status, mine.state) == ("stopped", None)


def test_visitors_of_a_link_who_have_left_are_forgotten(world):
    run = world.start("me")
    for number in range(100):
        world.registry.find(run.id, f"visitor {number}")
        world.closed.add(f"visitor {number}")
    world.wait(UNSEEN + 2)
    assert (list(run.viewers), run.status) == (["me"], "starting")


def test_all_runs_fail_if_the_process_cannot_start(world, monkeypatch):
    world.registry.max_active = 0
    runs = [world.start(f"person {number}", PLAN, PLAN) for number in range(400)]

    def refuse(_):
        raise OSError("no memory")

    monkeypatch.setattr(world.registry, "_start_process", refuse)
    world.registry.max_active = 2
    world.registry._fill()
    assert {run.status for run in (*runs, *map(world.registry.partner, runs))} == {"failed"}
    assert "could not start" in runs[0].sentence


def test_divergence_and_a_lost_process_say_why_and_finished_runs_stay(world):
    finished, diverged, running = (world.start(f"person {number}") for number in range(3))
    world.report(Finished(finished.id), Failed(diverged.id, "the run diverged at step 3", True))
    assert (diverged.status, diverged.sentence) == ("diverged", "The run diverged at step 3.")
    world.registry.lose(world.processes[0])
    assert (finished.status, running.status) == ("finished", "failed")
    assert "ended unexpectedly" in running.sentence
    assert world.start("me").status == "starting"
    assert len(world.processes) == 2


def test_an_unused_process_ends_and_the_next_run_starts_another(world):
    run = world.start("me")
    world.wait(IDLE + 10)
    assert not world.processes[0].is_closed
    world.report(Finished(run.id))
    world.wait(IDLE + 2)
    assert world.processes[0].is_closed
    world.start("me")
    assert len(world.processes) == 2


def test_a_process_with_many_compiled_programs_is_replaced_between_two_runs(world, monkeypatch):
    monkeypatch.setattr(registry_module, "_MAX_PROGRAMS", 1)
    first, same = world.start("me"), world.start("you")
    other = world.start("they", TrainingPlan(d_ff=64, steps=100))
    world.report(Finished(first.id))
    assert other.status == "queued"
    world.report(Finished(same.id))
    assert (other.status, len(world.processes)) == ("starting", 2)


def test_a_process_that_does_not_start_is_a_sentence(world, monkeypatch):
    def fail(_):
        raise OSError("no memory")

    monkeypatch.setattr(world.registry, "_start_process", fail)
    assert world.start("me").sentence == "The server could not start the training process."


def test_beyond_the_memory_the_oldest_runs_that_nobody_looks_at_go():
    world = World(max_bytes=12_000)  # each run has 2,400 bytes of measurements
    closed, mine, yours = (world.start(name) for name in ("closed", "me", "you"))
    world.closed.add("closed")
    for run in (closed, mine, yours):
        world.report(checkpoint(run, 0, size=3_000), Finished(run.id))
    assert [world.registry.find(run.id, "x") for run in (closed, mine, yours)] == [None, mine, yours]
    last = world.start("they")
    world.report(checkpoint(last, 0, size=4_000))
    assert [world.registry.find(run.id, "x") for run in (mine, yours, last)] == [None, yours, last]


def test_beyond_the_memory_a_run_that_nobody_looks_at_goes_before_older_ones():
    world = World(max_bytes=8_000)  # each run has 2,400 bytes of measurements
    runs = [world.start(name) for name in ("me", "closed", "you")]
    world.report(*(Finished(run.id) for run in runs))
    world.closed.add("closed")
    last = world.start("they")
    assert [world.registry.find(run.id, "x") for run in (*runs, last)] == [runs[0], None, runs[2], last]


def test_what_a_paused_run_needs_to_continue_counts_as_its_memory():
    """The parameters, and two averages of each."""
    world = World(max_bytes=9_000)  # each run has 2,400 bytes of measurements
    old, paused = (world.start(name) for name in ("they", "me"))
    world.report(Finished(old.id))
    numbers = np.zeros(250, np.float32)
    world.report(Paused(paused.id, RunState(10, {"a": numbers}, (numbers, numbers), {}, PLAN)))
    assert paused.num_bytes == 2_400 + 3_000
    assert world.registry.find(old.id, "x") is old
    world.start("you")
    assert [world.registry.find(run.id, "x") for run in (old, paused)] == [None, paused]
    world.registry.resume(paused)
    assert paused.num_bytes == 2_400


def test_one_session_keeps_a_few_runs_and_all_together_a_few_hundred(world, monkeypatch):
    monkeypatch.setattr(storage_module, "MAX_RUNS", 8)
    runs = []
    for _ in range(MAX_PER_OWNER + 2):
        runs.append(world.start("me"))
        world.report(Finished(runs[-1].id))
    assert [bool(world.registry.find(run.id, "x")) for run in runs] == [False] * 2 + [True] * MAX_PER_OWNER
    for number in range(5):
        world.report(Finished(world.start(f"person {number}").id))
    assert world.registry.find(runs[2].id, "x") is None
