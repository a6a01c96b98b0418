"""The training page, with a process of the test's own: its reports are random parameters, so nothing is compiled."""

import numpy as np
import pytest

from dashboard.lessons.training import prediction
from dashboard.page_list import STAGES, page_named, stage_named
from dashboard.training.runs import RUNS
from encoder_core.parameters import draw_parameters
from encoder_core.training import Evaluation, RunState, Steps
from encoder_core.training.expected_keys import key_sets
from encoder_core.training.messages import CheckpointMade, Failed, Finished, Pause, Paused, Start, StepsMade
from tests.pages.app import chosen, figures, key_of, link_of, opened, rendered, run, warning_texts

PAGE = page_named("training")
SMALL = {"train_num_layers": "1", "train_num_heads": "2", "train_d_model": "16", "train_steps": "100"}


class FakeProcess:
    """Remembers the requests; the test calls `report` to answer."""

    def __init__(self):
        self.requests = []

    def send(self, request):
        self.requests.append(request)

    def close(self):
        pass

    def report(self, *reports):
        for report in reports:
            RUNS.receive(self, report)

    def train(self, start, last=100, accuracy=1.0):
        """Report the checkpoints up to step `last`."""
        plan = start.plan
        for step in (step for step in plan.checkpoint_steps if step <= last):
            if step:
                steps = Steps(np.full(10, 1 / step), np.full(10, 0.5), np.ones((10, len(plan.parts))))
                self.report(StepsMade(start.run, step, steps, 0.1))
            parameters = draw_parameters(plan.config, step)
            self.report(CheckpointMade(start.run, step, parameters, Evaluation(0.1, 1.0, accuracy, step / 1000)))


@pytest.fixture
def process(monkeypatch, framed):
    process = FakeProcess()
    RUNS.close()
    monkeypatch.setattr(RUNS, "_start_process", lambda _: process)
    yield process
    RUNS.lose(process)
    monkeypatch.undo()


def started(process, predicted=None, **link):
    """The page after a click on a prediction, if any, and on Run, and the request to the process."""
    at = opened(PAGE, **SMALL | link)
    if predicted:
        at.button(key=predicted).click()
        run(at)
    at.button(key="training_run").click()
    run(at)
    return at, process.requests[-1]


def texts(at):
    return "\n".join([*rendered(at), *(bar.text for bar in at.get("progress"))])


def test_the_page_asks_before_the_first_run(process):
    at = opened(PAGE, **SMALL)
    assert "**Predict** —" in texts(at)
    assert not list(figures(at))
    at.button(key="train_predict_reverse_1").click()
    run(at)
    assert link_of(at)["train_prediction"] == ["1"]


def test_a_run_has_progress_attention_outputs_and_curves(process):
    at, start = started(process, predicted="train_predict_reverse_1")
    assert isinstance(start, Start)
    assert start.plan.d_model == 16
    assert "compiled first" in texts(at)
    process.train(start, last=50)
    run(at)
    assert "step 50 of 100" in texts(at)
    assert "latest checkpoint" in texts(at)
    assert "Prediction: “its mirror image (the anti-diagonal)”. The answer comes when the run has ended." in texts(at)
    titles = [figure["title"] for figure in figures(at)]
    assert titles[0] == "every head of every layer"
    assert titles[2:] == ["loss", "accuracy", "norm of the gradient"]
    process.train(start)
    process.report(Finished(start.run))
    run(at)
    assert "after step 100, 100% of the test inputs are entirely right" in texts(at)
    assert "of which 10% occurred in training so far, too" in texts(at)
    assert "Prediction: " in texts(at)
    (answer,) = at.session_state["session"].memo["answers"]
    assert f"Prediction: “{answer.chosen}”" in texts(at)
    assert bool(answer.misconception) is (answer.chosen != answer.correct)
    assert answer.misconception in texts(at)
    assert any("✓" in html.proto.body or "✗" in html.proto.body for html in at.get("html"))


def test_a_prediction_of_a_link_is_no_answer_of_its_reader(process):
    at, start = started(process, train_prediction="1")
    process.train(start)
    process.report(Finished(start.run))
    assert "Prediction: " in texts(run(at))
    assert "answers" not in at.session_state["session"].memo


def test_a_prediction_that_the_example_cannot_tell_is_not_judged(process):
    at, start = started(process, train_task="bracket", train_text="(((", train_prediction="1")
    process.train(start)
    process.report(Finished(start.run))
    run(at)
    predicted = sorted(key_sets("bracket", np.array([1, 1, 1])))
    assert "its partner" in predicted[0]
    assert f"Prediction: “{predicted[0]}”. No token of this example has such a key" in texts(at)
    assert at.session_state["session"].memo.get("answers", []) == []


def test_keys_of_an_unknown_task(unchecked):
    with pytest.raises(ValueError, match="task='foo' is invalid: allowed are "):
        key_sets("foo", np.array([1, 2]))


def test_a_reload_and_a_link_show_the_same_run_and_its_checkpoint(process):
    at, start = started(process)
    process.train(start)
    process.report(Finished(start.run))
    run(at)
    latest = next(figures(at))["data"]
    at.select_slider(key=key_of(at, "checkpoint")).set_value(20)
    link = {name: values[0] for name, values in link_of(run(at)).items()}
    assert link["checkpoint"] == "20"
    assert next(figures(at))["data"] != latest
    again = opened(PAGE, **link)
    assert texts(again) == texts(at)
    assert [figure["data"] for figure in figures(again)] == [figure["data"] for figure in figures(at)]


def test_pause_next_checkpoint_and_stop(process):
    at, start = started(process, train_prediction="1")
    process.train(start, last=10)
    at.button(key="training_pause").click()
    run(at)
    assert process.requests[-1] == Pause(start.run)
    process.report(Paused(start.run, RunState(10, {}, (), {}, start.plan)))
    run(at)
    assert "The answer comes when the run has ended." in texts(at)  # the run can still learn its task
    at.button(key="training_next").click()
    run(at)
    assert process.requests[-1].until == 20
    at.button(key="training_stop").click()
    assert "stopped" in texts(run(at))
    assert "Prediction: " in texts(at)


def test_a_comparison_shows_both_runs(process):
    at, _ = started(process, train_compare="norm")
    first, second = process.requests[-2:]
    assert (first.plan.norm, second.plan.norm) == ("post", "pre")
    for start in (first, second):
        process.train(start)
        process.report(Finished(start.run))
    run(at)
    assert "**pre-norm** · step 100" in texts(at)
    titles = [figure["title"] for figure in figures(at)]
    assert "pre-norm: every head of every layer" in titles
    assert "norm of the gradient, post-norm" in titles


def test_a_run_that_diverged_says_why(process):
    at, start = started(process)
    process.report(Failed(start.run, "the run diverged at step 3: the loss is not a number", True))
    assert any("diverged at step 3" in warning for warning in warning_texts(run(at)))


def test_a_run_that_the_server_does_not_know_can_run_again(process):
    at = opened(PAGE, run="0123456789", **SMALL)
    (warning,) = warning_texts(at)
    assert "The process of the server that you use does not have the run of the link." in warning
    assert warning.endswith("so Run trains it again.")
    at.button(key="training_run").click()
    run(at)
    assert process.requests[-1].plan.d_model == 16
    assert link_of(at)["run"] == [process.requests[-1].run]


def test_an_example_that_the_task_cannot_read_is_answered_with_its_rule(process):
    at, start = started(process, train_text="<b>1")
    process.train(start)
    run(at)
    assert any("Allowed are up to 10 letters" in warning for warning in warning_texts(at))
    assert next(figure["title"] for figure in figures(at)) == "loss"


def test_another_task_has_its_own_example_and_no_run(process):
    at, _ = started(process, train_text="abc")
    at.selectbox(key=key_of(at, "train_task")).set_value("bracket")
    run(at)
    assert chosen(at, "run") is None
    assert link_of(at)["train_task"] == ["bracket"]
    assert "train_text" not in link_of(at)


def test_both_runs_of_a_comparison_pause_when_another_task_is_chosen(process, monkeypatch):
    at, _ = started(process, train_compare="norm")
    link = {name: values[0] for name, values in link_of(at).items()}
    monkeypatch.setattr(RUNS._storage, "_is_open", lambda _: False)  # nobody else looks at them
    at.selectbox(key=key_of(at, "train_task")).set_value("bracket")
    run(at)
    pairs = [request.run for request in process.requests if isinstance(request, Start)]
    assert process.requests[-2:] == [Pause(name) for name in pairs]
    process.report(*(Paused(name, None) for name in pairs))
    assert opened(PAGE, **link).button(key="training_pause").label == "Resume"


def test_a_checkpoint_opens_in_the_walkthrough(process):
    at, start = started(process)
    process.train(start)
    process.report(Finished(start.run))
    link = {"encoder": "checkpoint", "run": start.run, "checkpoint": "20", "input": "abc"}
    at = opened(stage_named("multi_head"), **link)
    panel = next(figure for figure in figures(at) if figure["title"].startswith("weights of all heads"))
    assert panel["rows"]["names"] == ["a", "b", "c"]
    assert "after 20 of 100 steps" in texts(at)
    first = panel["data"]
    at.select_slider(key=key_of(at, "checkpoint")).set_value(30)
    run(at)
    assert link_of(at)["checkpoint"] == ["30"]
    panel = next(figure for figure in figures(at) if figure["title"].startswith("weights of all heads"))
    assert panel["data"] != first


def test_a_step_without_a_checkpoint_is_corrected(process):
    at, start = started(process)
    process.train(start)
    process.report(Finished(start.run))
    steps = list(start.plan.checkpoint_steps)
    missing = steps[3] + 1
    for page, link in ((PAGE, {}), (stage_named("softmax"), {"encoder": "checkpoint", "input": "abc"})):
        at = opened(page, run=start.run, checkpoint=str(missing), **link)
        (warning,) = [warning for warning in warning_texts(at) if "checkpoint" in warning]
        assert warning.startswith(f"The link has checkpoint = “{missing}”; allowed are {steps[0]}, {steps[1]}, ")
        assert warning.endswith(f"{steps[-1]}. {steps[3]} is used.")
        assert link_of(at)["checkpoint"] == [str(steps[3])]
        assert at.select_slider(key=key_of(at, "checkpoint")).value == steps[3]
        at = opened(page, run=start.run, checkpoint=str(steps[3]), **link)
        assert not [warning for warning in warning_texts(at) if "checkpoint" in warning]
    at = opened(stage_named("softmax"), run=start.run, checkpoint=str(missing))  # the random encoder
    assert not warning_texts(at)


def test_the_step_of_a_link_waits_for_the_end_of_the_run(process):
    _, start = started(process)
    process.train(start, last=20)
    at = opened(PAGE, run=start.run, checkpoint="50")
    assert link_of(at)["checkpoint"] == ["50"]
    assert not warning_texts(at)


def test_a_stage_page_names_the_checkpoint_that_it_shows(process):
    _, start = started(process)
    process.train(start, last=20)
    at = opened(stage_named("softmax"), encoder="checkpoint", run=start.run, train_task="copy", input="abc")
    link = link_of(at)
    assert (link["checkpoint"], link.get("train_task")) == (["20"], None)  # the task of the run is the default
    assert not warning_texts(at)
    process.train(start)
    run(at)
    assert link_of(at)["checkpoint"] == ["20"]
    assert "after 20 of 100 steps" in texts(at)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (None, "The training run is starting. Until its first checkpoint,"),
        ("pause", "The training run is paused before its first checkpoint,"),
        ("stop", "The training run ended before its first checkpoint,"),
    ],
)
def test_a_run_without_a_checkpoint_is_not_said_to_be_lost(process, framed, change, sentence):
    at, start = started(process)
    if change:
        at.button(key=f"training_{change}").click()
        run(at)
    if change == "pause":
        process.report(Paused(start.run, None))
    at = opened(stage_named("softmax"), encoder="checkpoint", run=start.run, input="abc")
    messages = [message.value for message in (*at.info, *at.warning) if "training run" in message.value]
    assert len(messages) == 1
    assert messages[0].startswith(sentence)
    assert at.sidebar.button(key="back_to_training").label == "Back to the training run"
    if change is None:
        process.train(start, last=0)
        run(at)
        assert not [message.value for message in at.info if "training run" in message.value]
        assert "after 0 of 100 steps" in texts(at)


@pytest.mark.parametrize("stage", STAGES, ids=[stage.name for stage in STAGES])
def test_every_page_shows_the_encoder_before_its_first_step(process, stage):
    at, start = started(process)
    process.train(start)
    process.report(Finished(start.run))
    at = opened(stage, encoder="checkpoint", run=start.run, checkpoint="0", input="abc")
    assert not at.exception
    assert "Untrained: who attends to whom is chance." in texts(at)
    assert "Next to its untrained state" not in [toggle.label for toggle in at.toggle]


def test_a_checkpoint_of_an_unknown_run_is_a_sentence_and_the_random_encoder(framed):
    at = opened(stage_named("softmax"), encoder="checkpoint", run="0123456789", checkpoint="10")
    assert any("does not have the training run" in warning for warning in warning_texts(at))
    assert not [area for area in at.sidebar.text_area if area.label == "Input"]  # the random encoder has no task
    assert at.sidebar.button(key="back_to_training").label == "Open the page Training"


@pytest.mark.parametrize(
    "link",
    [
        {"train_d_model": "7"},
        {"checkpoint": "-1"},
        {"train_task": "<b>"},
        {"run": "x" * 30},
        {"train_prediction": "99"},
        {"train_head": "9.9"},
    ],
)
def test_a_bad_link_is_answered_without_an_exception(framed, link):
    at = opened(PAGE, **link)
    assert "Goal" in texts(at)


def test_the_walkthrough_shows_the_head_that_was_enlarged(process):
    at, start = started(process, train_head="1,2")
    process.train(start)
    process.report(Finished(start.run))
    run(at).button(key="open_checkpoint_0").click()
    at.run()
    assert (chosen(at, "layer"), chosen(at, "head")) == (1, 2)


def test_each_of_two_runs_opens_in_the_walkthrough_and_the_prediction_is_that_of_the_first(process):
    at, _ = started(process, train_compare="norm", train_prediction="1")
    for start in process.requests[-2:]:
        process.train(start)
        process.report(Finished(start.run))
    run(at)
    assert "**post-norm** · Prediction: " in texts(at)
    at.button(key="open_checkpoint_1").click()
    run(at)
    assert chosen(at, "run") == process.requests[-1].run
    at.sidebar.button(key="back_to_training").click()
    run(at)
    bars = [bar.text for bar in at.get("progress")]
    assert [text.split("**")[1] for text in bars] == ["post-norm", "pre-norm"]
    assert "The settings above differ" not in texts(at)


def test_the_prediction_is_compared_with_both_runs_and_counts_once(process, monkeypatch):
    monkeypatch.setattr(prediction, "_CLEAR", 0.0)
    at, _ = started(process, predicted="train_predict_reverse_1", train_compare="norm")
    for start, accuracy in zip(process.requests[-2:], (1.0, 0.2), strict=True):
        process.train(start, accuracy=accuracy)
        process.report(Finished(start.run))
    assert "**pre-norm** · Prediction: “its mirror image (the anti-diagonal)”. Only 20% of" in texts(run(at))
    at, _ = started(process, predicted="train_predict_reverse_1", train_compare="norm")
    for start in process.requests[-2:]:
        process.train(start)
        process.report(Finished(start.run))
    answers = [text for text in texts(run(at)).splitlines() if "Prediction: “its mirror image" in text]
    assert [text.split("**")[1] for text in answers] == ["post-norm", "pre-norm"]
    assert all("The largest weights of any head" in text for text in answers)
    assert len(at.session_state["session"].memo["answers"]) == 1


@pytest.mark.parametrize(
    ("task", "accuracy", "is_answered"),
    [
        ("words", 0.58, True),
        ("words", 0.4, False),
        ("reverse", 0.89, False),
        ("reverse", 0.9, True),
        ("reverse", 0.004, False),
    ],
)
def test_a_task_in_which_several_words_fit_counts_as_learned_with_fewer_right_inputs(
    process, task, accuracy, is_answered
):
    at, start = started(process, train_task=task, train_prediction="1")
    process.train(start, accuracy=accuracy)
    process.report(Finished(start.run))
    assert ("it has not learned the task, and cannot tell" in texts(run(at))) != is_answered
    assert ("The largest weights of any head for this example" in texts(at)) == is_answered
    assert ("Less than 1% of this run's test inputs" in texts(at)) == (accuracy < 0.01)


def test_nearly_equal_weights_decide_no_prediction(process, monkeypatch):
    at, start = started(process, train_prediction="1")
    process.train(start)
    process.report(Finished(start.run))
    for difference, is_undecided in ((2.0, True), (0.0, False)):  # no two weights differ by 2
        monkeypatch.setattr(prediction, "_CLEAR", difference)
        assert ("None is clearly ahead" in texts(run(at))) == is_undecided


def test_a_warm_up_as_long_as_the_run_is_shown_as_it_is(process):
    at, _ = started(process, train_warm_up="500", train_compare="warm_up")
    assert "**warm-up of 99 steps** · step 0 of 100" in texts(at)
    assert "warm-up of 99 steps · Reverse: 1 layer" in texts(at)
    assert "warm-up 99, batch" in texts(at)
