"""The run of the URL, with the one that it is compared with."""

from dashboard.lessons.training.checkpoints import stop_playing
from dashboard.models.checkpoints import correct_checkpoint, correct_task
from dashboard.state.choices import CHECKPOINT_STEP, RUN
from dashboard.state.session import session, streamlit_session_id
from dashboard.training.runs import RUNS
from dashboard.training.stored_run import StoredRun
from encoder_core.training.compare import COMPARISONS


def choose_run(run: StoredRun | None) -> None:
    """Show a run, at its latest checkpoint. Call it from a callback."""
    session().set(RUN, run.id if run else None)
    session().set(CHECKPOINT_STEP, None)
    stop_playing()


def leave_runs() -> None:
    """Show no run. Those that nobody else has open pause; Back returns to them. Call it from a callback."""
    for run in current_runs():
        RUNS.leave(run, streamlit_session_id())
    choose_run(None)


def current_runs() -> list[StoredRun]:
    """The run of the URL and its partner, as they were started; empty if this server does not have the run."""
    name = session().get(RUN)
    run = RUNS.find(name, streamlit_session_id()) if name else None
    if run is None:
        return []
    correct_task(run)
    if not run.is_open:  # otherwise the latest checkpoint is shown
        correct_checkpoint(run)
    partner = RUNS.partner(run)
    if partner is None or RUNS.find(partner.id, streamlit_session_id()) is None:
        return [run]
    return sorted([run, partner], key=lambda each: each.number)


def names_of(runs: list[StoredRun]) -> list[str]:
    """What distinguishes each of two runs; "" for a single one."""
    if len(runs) == 1:
        return [""]
    first, second = (run.plan for run in runs)
    for comparison in COMPARISONS.values():
        sides = [comparison.describe(plan) for plan in (first, second)]
        if sides[0] != sides[1]:
            return sides
    return ["first run", "second run"]
