"""The prediction before the first run, and its comparison with the trained heads."""

import streamlit as st

from dashboard.markdown import capitalize
from dashboard.models.checkpoints import example_result
from dashboard.state.choices import TRAINING_PREDICTION
from dashboard.state.session import session
from dashboard.training.stored_run import StoredRun
from encoder_core.training import Task
from encoder_core.training.expected_keys import key_sets, weight_on

_CLEAR = 0.05  # difference of two weights that counts
_LEARNED = 0.9  # fraction of inputs entirely right from which a run has learned its task


def _options(task: Task) -> list[str]:
    ids = task.tokenizer(task.examples[0]).ids[0]
    return sorted(key_sets(task.name, ids))


def render_question(task: Task) -> None:
    """Render the question and its options; the answer comes with the run."""
    options, chosen = _options(task), session().get(TRAINING_PREDICTION)
    with st.container(border=True):
        st.markdown(
            "**Predict first** — after training, to which of these keys will some head give the most weight, as a mean "
            f"over the tokens of the example? {task.goal}"
        )
        for number, option in enumerate(options, 1):
            st.button(capitalize(option), key=f"train_predict_{task.name}_{number}", width="stretch",
                      type="primary" if number == chosen else "secondary", on_click=_predict,
                      args=(number,))  # fmt: skip
        if chosen:
            st.caption("Press Run to see which it is.")


def render_answer(run: StoredRun, text: str) -> None:
    """Render what a run that has learned its task shows about the prediction; nothing for any other run."""
    options, chosen = _options(run.plan.definition), session().get(TRAINING_PREDICTION)
    if not chosen or chosen > len(options) or run.is_open or not run.checkpoints:
        return
    last = run.checkpoints[-1]
    if last.evaluation.sequence_accuracy < _LEARNED:
        st.info(
            f"You predicted “{options[chosen - 1]}”. Only {last.evaluation.sequence_accuracy:.0%} of this "
            "run's test inputs are entirely right: it has not learned the task, and cannot tell.",
            icon=":material/lightbulb:",
        )
        return
    result = example_result(run, last, text)
    largest = {}
    for name, keys in key_sets(run.plan.task, result.ids).items():
        weights = weight_on(keys, result.patterns)
        if weights is not None:
            largest[name] = float(weights.max())
    answer = max(largest, key=lambda name: largest[name])
    listed = ", ".join(f"{name}: {largest[name]:.2f}" for name in sorted(largest, key=lambda name: -largest[name]))
    measured = f"The largest weights of any head for this example, as means over its tokens — {listed}."
    ranked = sorted(largest.values(), reverse=True)
    if ranked[0] - ranked[1] < _CLEAR:
        st.info(
            f"You predicted “{options[chosen - 1]}”. None is clearly ahead. {measured}", icon=":material/lightbulb:"
        )
    elif options[chosen - 1] == answer:
        st.success(f"You predicted “{answer}”, and so it is. {measured}", icon=":material/check:")
    else:
        st.info(f"You predicted “{options[chosen - 1]}”. It is “{answer}”. {measured}", icon=":material/lightbulb:")


def _predict(number: int) -> None:
    session().set(TRAINING_PREDICTION, number)
