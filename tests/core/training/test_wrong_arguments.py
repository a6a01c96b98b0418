"""Arguments of a wrong type for training: each gets a sentence that names the argument and what is allowed."""

import jax
import numpy as np
import pytest

from encoder_core import RECIPES, Encoder
from encoder_core.training import TrainingPlan, TrainingRun, tasks
from encoder_core.training.shipped import initial_encoder, model_card, trained_encoder

pytestmark = pytest.mark.usefixtures("unchecked")

SMALL = {"d_model": 16, "num_heads": 1, "d_ff": 16, "num_layers": 1, "steps": 100}
OTHERS = [None, [1, 2], {"a": 1}, np.zeros(3), np.array(1), np.array([[1]]), object(), True, float("nan")]


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize("name", ["task", "d_model", "num_heads", "num_layers", "learning_rate", "norm", "seed"])
def test_a_field_of_a_plan(name, value):
    with pytest.raises(ValueError, match=rf"{name}=.* is invalid: allowed are .*\w"):
        TrainingPlan(**{name: value})


def test_whole_numbers_are_no_floats():
    for name, value in (("d_model", 64.0), ("steps", np.float32(100)), ("seed", 0.0)):
        with pytest.raises(ValueError, match=rf"{name}=.*{value} *\)? is invalid: allowed are [\d, ]+\.$"):
            TrainingPlan(**{name: value})


def test_numbers_of_numpy_are_numbers():
    plan = TrainingPlan(num_heads=np.int64(2), learning_rate=np.float64(1e-2), seed=np.uint8(3))
    assert plan == TrainingPlan(num_heads=2, learning_rate=1e-2, seed=3)
    assert [type(number) for number in (plan.num_heads, plan.learning_rate, plan.seed)] == [int, float, int]
    assert type(TrainingPlan(learning_rate=1).learning_rate) is float


@pytest.mark.parametrize("plan", [None, "reverse", TrainingPlan, {"task": "reverse"}])
def test_a_run_has_a_plan(plan):
    with pytest.raises(ValueError, match=r"plan=.* is invalid: allowed are plans, such as TrainingPlan"):
        TrainingRun(plan)


@pytest.mark.parametrize("state", ["", 0, [], {"step": 3}])
def test_a_run_has_a_state(state):
    with pytest.raises(ValueError, match=r"state=.* is invalid: allowed are None and states of a run"):
        TrainingRun(TrainingPlan(**SMALL), state)


def test_the_state_of_another_plan():
    plan = TrainingPlan(**SMALL)
    state, name = TrainingRun(plan).state(), "token_embedding"
    wider = TrainingRun(TrainingPlan(**SMALL | {"d_model": 32})).state()
    deeper = TrainingRun(TrainingPlan(**SMALL | {"num_layers": 2})).state()._replace(plan=plan)
    for other, message in (
        (wider, r"^the state is one of another plan: it has d_model=32 instead of 16\.$"),
        (
            state._replace(plan=TrainingPlan(**SMALL, task="copy", seed=5, learning_rate=1e-2)),
            r"task='copy' instead of 'reverse', learning_rate=0.01 instead of 0.003, seed=5 instead of 0\.$",
        ),
        (state._replace(plan=None), "plan=None is invalid: allowed are plans"),
        (
            wider._replace(plan=plan),
            r"not one of this plan: its parameter 'layers.0.*' is float32 of shape \(32,\), and that of the plan is "
            r"float32 of shape \(16,\)",
        ),
        (deeper, r"its parameter 'layers.1.* is float32 of shape .*, and that of the plan is None"),
        (state._replace(parameters=None), "parameters=None is invalid: allowed are dictionaries"),
        (state._replace(optimizer=wider.optimizer), "not one of this plan: the averages of the optimizer have"),
        (
            state._replace(parameters=state.parameters | {name: state.parameters[name].astype(np.int32)}),
            r"its parameter 'token_embedding' is int32 of shape \(27, 16\), and that of the plan is float32 of shape",
        ),
        (
            state._replace(parameters=state.parameters | {name: state.parameters[name].tolist()}),
            "its parameter 'token_embedding' is list, and that of the plan is float32 of shape",
        ),
        (
            state._replace(optimizer=jax.tree.map(lambda leaf: leaf.astype(np.float64), state.optimizer)),
            "the averages of the optimizer have other names, types or shapes",
        ),
        (
            state._replace(generator=state.generator | {"state": None}),
            "generator=.* is invalid: allowed are states of a random generator",
        ),
        (
            state._replace(generator=state.generator | {"bit_generator": "MT19937"}),
            "generator=.* is invalid: allowed are states of a random generator",
        ),
        (state._replace(optimizer=None), "not one of this plan: the averages of the optimizer have"),
        (state._replace(step=101), "step=101 is invalid: allowed are whole numbers from 0 to 100"),
        (state._replace(generator={}), "generator={} is invalid: allowed are states of a random generator"),
    ):
        with pytest.raises(ValueError, match=message):
            TrainingRun(plan, other)
    assert TrainingRun(plan, state).step == 0


@pytest.mark.parametrize("count", [None, -1, 1.5, "3", True, float("inf")])
def test_counts_are_whole_numbers(count):
    plan = TrainingPlan(**SMALL)
    with pytest.raises(ValueError, match=r"count=.* is invalid: allowed are whole numbers from 0"):
        TrainingRun(plan).advance(count)
    with pytest.raises(ValueError, match=r"count=.* is invalid: allowed are whole numbers from 0"):
        plan.learning_rates(0, count)
    with pytest.raises(ValueError, match=r"count=.* is invalid: allowed are whole numbers from 1"):
        tasks()["reverse"].random_inputs(count)
    with pytest.raises(ValueError, match=r"seed=.* is invalid: allowed are whole numbers from 0"):
        tasks()["reverse"].random_inputs(2, count)


@pytest.mark.parametrize("name", [None, 3, ["reverse"], {"a": 1}, np.zeros(2)])
def test_a_name_that_is_no_text(name):
    for open_it in (trained_encoder, initial_encoder, model_card):
        with pytest.raises(ValueError, match=r"name=.* is invalid: allowed are 'reverse', 'bracket'"):
            open_it(name)
    with pytest.raises(ValueError, match=r"variant .* is not one of 'as intended', 'as written'"):
        RECIPES["nnx"].config(name)
    with pytest.raises(ValueError, match=r"variant .* is not one of 'as intended', 'as written'"):
        Encoder.recipe("nnx", name)


def test_a_trained_encoder_is_opened_once():
    assert trained_encoder("reverse") is trained_encoder("reverse")
    assert initial_encoder("reverse") is initial_encoder("reverse")
