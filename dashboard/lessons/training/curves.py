"""Loss, accuracy and gradients of the runs that are shown."""

from dashboard.components.plot import render_plot
from dashboard.lessons.training.current_runs import names_of
from dashboard.shell.frame import render_explained
from dashboard.theme import current_theme
from dashboard.training.stored_run import StoredRun
from encoder_core.scenes.training_run import MAX_POINTS, gradient_curves, gradient_limits, learning_curves
from encoder_core.support.number_format import format_percent
from encoder_core.training.history import mean_of_bins
from encoder_core.training.seen_inputs import NUM_TESTS


def render_curves(runs: list[StoredRun]) -> None:
    """Render loss, accuracy and the norms of the gradients over the steps."""
    names, num_steps, theme = names_of(runs), runs[0].plan.steps, current_theme()
    histories = dict(zip(names, (run.history for run in runs), strict=True))
    limits = gradient_limits(histories.values()) if len(runs) > 1 else None
    gradients = [
        gradient_curves(histories[name], run.plan.parts, num_steps, name=name, limits=limits, theme=theme)
        for run, name in zip(runs, names, strict=True)
    ]
    line = learning_curves(histories, num_steps, theme=theme)
    if len(runs) == 1:
        line += gradients
    render_plot(line, key="training_curves", on_click=None)
    if len(runs) > 1:
        render_plot([*gradients], key="training_gradients", on_click=None)
    sizes = {
        mean_of_bins(history.steps.loss, MAX_POINTS)[2] for history in histories.values() if history.steps.loss.size
    }
    largest, up_to = max(sizes, default=1), "up to " * (len(sizes) > 1)
    counted = f" {runs[0].plan.definition.counted}".rstrip()
    points = f" A point of a line is the mean of {up_to}{largest} steps." if largest > 1 else ""
    render_explained(
        "Lines: the random inputs of each step, before its update; accuracy counts single outputs. Circles: "
        f"{NUM_TESTS} test inputs{_seen(runs)}, at each checkpoint; there, accuracy counts inputs whose outputs are "
        f"all right.{counted}{points} The part “embedding” of the [[gradient]] includes the table of positions, "
        "if it is learned, and “output” the final norm of a pre-norm encoder."
    )


def _seen(runs: list[StoredRun]) -> str:
    """How many of the test inputs are no news to the encoders of these runs."""
    if runs[0].plan.definition.draw_unseen:
        return ", whose sentences do not occur in training"
    latest = [run.checkpoints[-1].evaluation for run in runs if run.checkpoints]
    shares = list(dict.fromkeys(format_percent(evaluation.seen) for evaluation in latest))
    if not shares:
        return ""
    return f", of which {' and '.join(shares)} occurred in training so far, too (there are few short inputs)"
