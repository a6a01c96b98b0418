"""The prediction that precedes the result. The URL contains it, so that a reload shows the result again."""

import streamlit as st

from dashboard.inspect.predict_first import OPTION_WIDTH
from dashboard.state.answers import has_answered, record_answer
from dashboard.state.choices import PREDICTION
from dashboard.state.session import session
from encoder_core.experiments import Experiment, Measurement, Setup

_JUST_PREDICTED = "just predicted"  # in `Session.memo`: the user's own prediction, not one of a link
SKIPPED = 0  # otherwise the number of an option, from 1


def read_prediction(experiment: Experiment) -> int | None:
    """The number of the chosen option, SKIPPED, or None before either."""
    number = session().get(PREDICTION)
    if number is None or number <= len(experiment.options):
        return number
    session().report_invalid(PREDICTION, f"allowed are 0 (skipped) to {len(experiment.options)}", None)
    session().set_derived(PREDICTION, None)
    return None


def render_question(experiment: Experiment, setup: Setup) -> None:
    """Render the question with a button for each option, and one that shows the result without a prediction."""
    with st.container(border=True):
        st.markdown(f"**Predict** — {experiment.fill_in(experiment.question, setup)}")
        for number, option in enumerate(experiment.options, 1):
            st.button(
                experiment.fill_in(option.text, setup),
                key=f"predict {experiment.name} {number}",
                on_click=_predict,
                args=(number,),
                width=OPTION_WIDTH,
            )
        st.button("Show the result without a prediction", type="tertiary", icon=":material/visibility:",
                  key=f"predict {experiment.name} skip", on_click=_predict, args=(SKIPPED,))  # fmt: skip


def render_feedback(experiment: Experiment, setup: Setup, measurement: Measurement, prediction: int) -> None:
    """Render the answer, and why; of the user's own prediction for this setup, whether it was right."""
    right = experiment.options[measurement.answer]
    question, answer = (experiment.fill_in(text, setup) for text in (experiment.question, right.text))
    options = [experiment.fill_in(option.text, setup) for option in experiment.options]
    chosen = experiment.options[prediction - 1]
    if session().memo.pop(_JUST_PREDICTED, None) == prediction:
        misconception = "" if chosen is right else chosen.feedback
        record_answer(question, options, options[prediction - 1], answer, right.feedback, misconception)
    # The prediction of the URL can be that of another setup, or of the person who copied it.
    if prediction == SKIPPED or not has_answered(question, options, options[prediction - 1]):
        st.info(f"{question} **{answer}.** {right.feedback}", icon=":material/lightbulb:")
        return
    predicted = f"You predicted “{options[prediction - 1]}”"
    if chosen is right:
        st.success(f"{predicted}, and so it is. {chosen.feedback}", icon=":material/check:")
    else:
        st.info(
            f"{predicted}. {chosen.feedback}  \nThe answer: **{answer}.** {right.feedback}", icon=":material/lightbulb:"
        )


def render_again_button() -> None:
    """Render the button that hides the result and asks again."""
    st.button("Predict again", icon=":material/replay:", type="tertiary", key="predict again", on_click=_predict,
              args=(None,))  # fmt: skip


def _predict(number: int | None) -> None:
    session().set(PREDICTION, number)
    if number:
        session().memo[_JUST_PREDICTED] = number
