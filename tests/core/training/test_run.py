"""The training loop: one small configuration, so that the tests compile two programs."""

import pickle
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.parameters import draw_parameters
from encoder_core.training import Diverged, TrainingPlan, TrainingRun
from encoder_core.training.compare import COMPARISONS
from encoder_core.training.history import mean_of_bins
from encoder_core.training.network import forward_logits
from encoder_core.training.run import _evaluate, _loss, _norms
from encoder_core.training.seen_inputs import set_aside, share_seen

PLAN = TrainingPlan(task="copy", d_model=16, num_heads=2, d_ff=16, num_layers=1, batch=16, steps=100, warm_up=20,
                    learning_rate=1e-2)  # fmt: skip
logits_of = jax.jit(forward_logits, static_argnums=1)  # as single operations it is 50 programs


@pytest.fixture(autouse=True)
def _(unchecked):
    """Tracing with checked annotations takes three times as long."""


@pytest.fixture(scope="module")
def finished():
    run = TrainingRun(PLAN)
    begin = run.evaluate()
    return run, begin, run.advance(PLAN.steps)


def test_the_loss_falls_and_the_outputs_become_right(finished):
    run, begin, steps = finished
    end = run.evaluate()
    assert begin.loss == pytest.approx(np.log(27), rel=0.5)
    assert end.loss < begin.loss / 3
    assert end.accuracy > 0.9 > 0.2 > begin.accuracy
    assert steps.loss.shape == (100,)
    assert steps.gradient_norms.shape == (100, len(PLAN.parts))
    assert (steps.gradient_norms > 0).all()


def test_a_run_that_was_interrupted_gives_the_same_numbers(finished):
    _, _, steps = finished
    first = TrainingRun(PLAN)
    begin = first.advance(43)
    state = pickle.loads(pickle.dumps(first.state()))
    rest = TrainingRun(PLAN, state).advance(1000)
    np.testing.assert_array_equal(np.concatenate([begin.loss, rest.loss]), steps.loss)


def test_the_test_inputs_that_occur_in_training(finished):
    """Counted in words, with the generator that ends where that of the run does."""
    run, _, _ = finished

    def words(batch):
        letters = PLAN.definition.vocabulary
        return ["".join(letters[index] for index in ids[real]) for ids, real in zip(batch.ids, batch.real, strict=True)]

    generator = np.random.default_rng((PLAN.seed, 2))
    steps = [words(PLAN.definition.sample(generator, PLAN.batch)) for _ in range(PLAN.steps)]
    trained_on = {word for step in steps for word in step}
    assert generator.bit_generator.state == run.state().generator
    seen = [word in trained_on for word in words(set_aside(PLAN))]
    assert 0 < sum(seen) < len(seen) == 256
    assert share_seen(PLAN) == sum(seen) / 256
    assert run.evaluate().seen == share_seen(PLAN)
    first = next(number for number, step in enumerate(steps, 1) if set(step) & set(words(set_aside(PLAN))))
    part = TrainingRun(PLAN)
    part.advance(first - 1)
    assert part.evaluate().seen == 0
    part.advance(1)
    assert 0 < part.evaluate().seen < share_seen(PLAN)
    assert TrainingRun(PLAN, part.state()).evaluate().seen == part.evaluate().seen
    assert share_seen(PLAN, 100) == sum(seen[:100]) / 100
    assert share_seen(TrainingPlan(task="words")) == 0


def test_another_seed_gives_another_run(finished):
    other = TrainingRun(replace(PLAN, seed=1)).advance(10)
    assert not np.isclose(other.loss, finished[2].loss[:10]).any()


def test_the_encoder_has_the_logits_of_the_network_that_was_trained(finished):
    run, _, _ = finished
    encoder = run.encoder()
    trace = encoder.trace("encoder", "padding")
    ids = encoder.tokenizer("encoder").ids[0]
    logits = logits_of(run.parameters(), run.config, ids, np.ones(len(ids), bool))
    np.testing.assert_allclose(trace.logits[0], logits, atol=1e-4)


def test_the_gradient_is_the_slope_of_the_loss():
    """Moved by ε along its gradient g, the parameters change the loss by ε |g|²."""
    run = TrainingRun(PLAN)
    parameters = run.parameters()
    batch = PLAN.definition.sample(np.random.default_rng(0), 16)
    loss_and_gradient = jax.jit(jax.value_and_grad(lambda parameters: _loss(parameters, run.config, *batch)[0]))
    gradient = {name: np.asarray(array) for name, array in loss_and_gradient(parameters)[1].items()}
    square = sum(float((array**2).sum()) for array in gradient.values())
    step = np.float32(1e-2 / np.sqrt(square))
    moved = [{name: parameters[name] + move * gradient[name] for name in parameters} for move in (step, -step)]
    ends = [float(loss_and_gradient(parameters)[0]) for parameters in moved]
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(square, rel=1e-2)


def test_an_evaluation_by_hand():
    """The network answers 2 with probability 1/2, 0 and 1 with 1/4. In the last of three inputs, no output counts."""
    config = EncoderConfig(vocab_size=3, max_len=2, d_model=4, num_heads=1, d_ff=4, num_layers=1, output_head=True)
    parameters = dict(draw_parameters(config, 0))
    parameters["output_head.kernel"] = np.zeros((4, 3), np.float32)
    parameters["output_head.bias"] = np.array([0, 0, np.log(2)], np.float32)
    real = np.ones((3, 2), bool)
    targets = np.array([[2, 2], [2, 1], [0, 0]])
    scored = np.array([[True, True], [True, True], [False, False]])
    loss, accuracy, sequence_accuracy = _evaluate(config, parameters, targets, real, targets, scored)
    assert loss == pytest.approx((3 * np.log(2) + np.log(4)) / 4)
    assert (accuracy, sequence_accuracy) == (3 / 4, 1 / 2)


def test_the_norms_of_a_gradient_by_hand():
    """The final norm belongs to the output: sqrt(5² + 12²) = 13."""
    gradient = {"token_embedding": [3.0], "position_embedding": [4.0], "layers.0.norm1.scale": [6.0, 8.0],
                "layers.1.mlp.up.bias": [2.0], "final_norm.scale": [5.0], "output_head.kernel": [12.0]}  # fmt: skip
    norms = jax.jit(_norms, static_argnums=1)({name: jnp.array(values) for name, values in gradient.items()}, 2)
    np.testing.assert_allclose(norms, [5, 10, 2, 13])


def test_a_run_that_diverges_says_so_and_keeps_what_was_measured():
    run = TrainingRun(replace(PLAN, learning_rate=1.0, warm_up=0))
    run.advance(1)
    with pytest.raises(Diverged, match=r"diverged at step \d+: the loss is .* A smaller learning rate") as caught:
        run.advance(99)
    step, steps = caught.value.step, caught.value.steps
    assert f"at step {step}:" in str(caught.value)
    assert {len(array) for array in steps} == {step - 1}
    is_allowed = steps.loss < 3 * np.log(run.config.vocab_size)
    assert is_allowed[:-1].all()
    assert not is_allowed[-1]


def test_a_loss_that_is_not_a_number_is_divergence():
    begin = TrainingRun(PLAN)
    begin.advance(3)
    state = begin.state()
    parameters = state.parameters | {"output_head.bias": np.full_like(state.parameters["output_head.bias"], np.nan)}
    run = TrainingRun(PLAN, state._replace(parameters=parameters))
    with pytest.raises(Diverged, match="diverged at step 4: the loss is not a number, and a uniform") as caught:
        run.advance(5)
    assert caught.value.step == 4
    assert np.isnan(caught.value.steps.loss).tolist() == [True]


def test_checkpoints_are_dense_at_the_beginning():
    assert PLAN.checkpoint_steps == (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    steps = TrainingPlan().checkpoint_steps
    assert (steps[:4], steps[-1]) == ((0, 10, 20, 30), 1000)
    assert len(steps) <= 25
    assert (np.diff(np.diff(steps)) >= -10).all()
    largest = TrainingPlan(d_model=128, num_heads=8, d_ff=512, num_layers=4, steps=8000)
    assert 2 <= len(largest.checkpoint_steps) < 10  # about 3 MB each


@pytest.mark.parametrize("plan", [TrainingPlan(), TrainingPlan(norm="pre", positions="none", warm_up=0, num_heads=1)])
def test_plans_that_are_compared_differ_in_one_thing(plan):
    for comparison in COMPARISONS.values():
        other = comparison.other(plan)
        differences = [name for name, value in vars(plan).items() if value != getattr(other, name)]
        assert len(differences) == 1
        assert comparison.describe(plan) != comparison.describe(other)


def test_bins_by_hand():
    ends, means, size = mean_of_bins(np.arange(5.0), 2)
    assert (ends.tolist(), means.tolist(), size) == ([3.0, 5.0], [1.0, 3.5], 3)
    assert mean_of_bins(np.zeros(0), 2)[1].tolist() == []


@pytest.mark.parametrize("field", ["d_model", "steps", "task"])
def test_a_plan_outside_of_the_choices_is_refused(field):
    with pytest.raises(ValueError, match=field):
        TrainingPlan(**{field: "7" if field == "task" else 7})


@pytest.mark.parametrize(
    "changes",
    [
        {"embedding_norm": True},
        {"use_bias": False},
        {"qkv_bias": False, "positions": "learned", "embedding_norm": True, "norm": "pre", "final_norm": True},
    ],
)
def test_the_logits_of_any_encoder_are_those_of_its_trace(changes):
    config = EncoderConfig(vocab_size=9, max_len=4, d_model=8, num_heads=2, d_ff=12, output_head=True, **changes)
    parameters = dict(draw_parameters(config, 0))
    for name in ("embedding_norm.scale", "embedding_norm.bias"):  # drawn as 1 and 0
        if name in parameters:
            parameters[name] = np.linspace(0.5, 2, 8, dtype=np.float32)
    ids = np.array([3, 1, 4])
    logits = logits_of(parameters, config, ids, np.ones(3, bool))
    trace = Encoder.from_parameters(config, parameters).trace(ids[None])
    np.testing.assert_allclose(logits, trace.logits[0], atol=1e-5)


def test_logits_need_an_output_head_and_all_parameters():
    config = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, d_ff=12)
    ids, real = jnp.zeros(2, int), jnp.ones(2, bool)
    with pytest.raises(ValueError, match="output_head=False is invalid: allowed is True"):
        forward_logits(draw_parameters(config, 0), config, ids, real)
    with pytest.raises(ValueError, match=r"2 missing parameter\(s\): output_head.bias, output_head.kernel"):
        forward_logits(draw_parameters(config, 0), replace(config, output_head=True), ids, real)
