"""The prediction before the first run, and its comparison with the trained heads."""

import streamlit as st

from dashboard.inspect.predict_first import OPTION_WIDTH
from dashboard.inspect.questions import WrongOption
from dashboard.markdown import capitalize
from dashboard.models.checkpoints import example_result
from dashboard.state.answers import record_answer
from dashboard.state.choices import TRAINING_PREDICTION
from dashboard.state.session import session
from dashboard.training.stored_run import StoredRun
from encoder_core.support.number_format import format_percent
from encoder_core.training import Task
from encoder_core.training.expected_keys import key_sets, weight_on

_QUESTION = (
    "after training, to which of these keys will some head give the most weight, as a mean over the tokens of the "
    "example?"
)
_CLEAR = 0.05  # difference of two weights that counts
_LEARNED = 0.9  # fraction of inputs entirely right from which a run has learned its task
_LEARNED_TO_FILL = 0.5  # the same where words are hidden: several fit a [MASK], and 8,000 steps bring 64%
_LOOK_AT = "the heads above, from the first checkpoint to the last"
_MISCONCEPTIONS = {
    wrong.text: wrong
    for wrong in (
        WrongOption("the token itself", "The residual connection passes a token's own vector on without any head, so "
                    "that attention is free to bring what the token does not have.", _LOOK_AT),
        WrongOption("the next token", "In a text, neighbours often belong together. The heads learn where the right "
                    "output can be read in this task, near or far.", _LOOK_AT),
        WrongOption("the first token", "In large language models, heads often rest on the first token. Here the loss "
                    "falls when a head finds what the output depends on.", _LOOK_AT),
    )
}  # fmt: skip
_PREDICTED_HERE = "predicted what training brings"  # in `Session.memo`: the user's own prediction, not one of a link
_OTHER_SOLUTION = "The loss compares outputs only. It does not ask for any pattern, and there may be another solution."


def _options(task: Task) -> list[str]:
    ids = task.tokenizer(task.examples[0]).ids[0]
    return sorted(key_sets(task.name, ids))


def render_question(task: Task) -> None:
    """Render the question and its options; the answer comes with the run."""
    options, chosen = _options(task), session().get(TRAINING_PREDICTION)
    with st.container(border=True):
        st.markdown(f"**Predict** — {_QUESTION}")  # the goal stands above
        for number, option in enumerate(options, 1):
            st.button(capitalize(option), key=f"train_predict_{task.name}_{number}", width=OPTION_WIDTH,
                      type="primary" if number == chosen else "secondary", on_click=_predict,
                      args=(number,))  # fmt: skip
        if chosen:
            st.caption("Press Run to see which it is.")


def render_answer(run: StoredRun, text: str, name: str, *, is_compared: bool = False) -> None:
    """Render what a run shows about the prediction, which its end decides.

    name         of the run, where two are compared
    is_compared  whether it is the second of these: the answer of the first is the one that counts and is explained
    """
    task = run.plan.definition
    options, chosen = _options(task), session().get(TRAINING_PREDICTION)
    if not chosen or chosen > len(options) or not run.checkpoints:
        return
    last, run_name = run.checkpoints[-1], f"**{name}** · " if name else ""
    predicted = f"{run_name}Prediction: “{options[chosen - 1]}”"
    if run.is_open or run.status == "paused":
        st.info(f"{predicted}. The answer comes when the run has ended.", icon=":material/lightbulb:")
        return
    if last.evaluation.sequence_accuracy < (_LEARNED_TO_FILL if task.hide else _LEARNED):
        share = format_percent(last.evaluation.sequence_accuracy)
        st.info(
            f"{predicted}. {capitalize(share) if share.startswith('less') else f'Only {share}'} of this run's "
            "test inputs are entirely right: it has not learned the task, and cannot tell.",
            icon=":material/lightbulb:",
        )
        return
    result = example_result(run, last, text)
    largest = {}
    for option, keys in key_sets(run.plan.task, result.ids).items():
        weights = weight_on(keys, result.patterns)
        if weights is not None:
            largest[option] = float(weights.max())
    if options[chosen - 1] not in largest:
        st.info(
            f"{predicted}. No token of this example has such a key: another example can tell.",
            icon=":material/lightbulb:",
        )
        return
    answer = max(largest, key=lambda option: largest[option])
    ordered = sorted(largest.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{option}: {weight:.2f}" for option, weight in ordered)
    measured = f"The largest weights of any head for this example, as means over its tokens — {listed}."
    if ordered[0][1] - ordered[1][1] < _CLEAR:
        st.info(f"{predicted}. None is clearly ahead. {measured}", icon=":material/lightbulb:")
    elif options[chosen - 1] == answer:
        if not is_compared:
            _record(task, options, answer, answer, measured)
        st.success(f"{predicted}, and so it is. {measured}", icon=":material/check:")
    elif is_compared:
        st.info(f"{predicted}. The answer is “{answer}”. {measured}", icon=":material/lightbulb:")
    else:
        wrong = _MISCONCEPTIONS.get(options[chosen - 1], WrongOption(options[chosen - 1], _OTHER_SOLUTION, _LOOK_AT))
        _record(task, options, wrong.text, answer, measured, wrong.explanation)
        st.info(f"{predicted}. {wrong.explanation} The answer is “{answer}”. {measured}",
                icon=":material/lightbulb:")  # fmt: skip


def _record(task: Task, options: list[str], chosen: str, answer: str, measured: str, misconception: str = "") -> None:
    """Add the user's own prediction to the page Results, once for each run that has another answer."""
    if session().memo.get(_PREDICTED_HERE) == session().get(TRAINING_PREDICTION):
        record_answer(f"{_QUESTION} {task.goal}", options, chosen, answer, measured, misconception)


def _predict(number: int) -> None:
    session().set(TRAINING_PREDICTION, number)
    session().memo[_PREDICTED_HERE] = number
