"""The compiled program: equal results at all capacities, no compilation after warm_up, threads, freed memory."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.edits import EDIT_FORMATS, random_edit
from benchmarks.measure import CompilationCounter
from encoder_core import RECIPES, Dropout, Encoder, EncoderConfig, Temperature, ablate_heads, ablate_tokens, warm_up
from encoder_core.blocks import TracedInputs
from encoder_core.blocks.capacity import CAPACITIES, Capacity, Dims, capacity_for
from encoder_core.edits import Effects, HeadFactor, ResidualFactor, SetScore, SetWeight, combine_edits
from encoder_core.encoder import compile_ahead
from encoder_core.engine.memory import release_compiler_memory
from encoder_core.engine.program import run_batch, run_output
from encoder_core.engine.program_inputs import layer_dropout, layer_edits, split_by_layer
from encoder_core.engine.stacked_parameters import SHARED_SEED, stack_parameters
from encoder_core.inputs.dropout import draw_dropout
from encoder_core.recipes import VARIANTS
from tests.core.reference import random_parameters, relative_difference, run_torch
from tests.core.strategies import VOCAB, configs, seeds

SMALLEST, SMALL_LEAN, SMALL, WIDE_LEAN, WIDE, LARGE = CAPACITIES


def test_capacity_for_selects_the_smallest_capacity():
    config = EncoderConfig(d_model=128, num_heads=16, d_ff=512, num_layers=12, max_len=64)
    assert capacity_for(config, 32) == SMALL
    assert capacity_for(replace(config, d_model=64, num_heads=8, d_ff=256, num_layers=6), 32) == SMALLEST
    assert capacity_for(replace(config, d_model=64, num_heads=8, d_ff=256), 32) == SMALL_LEAN
    assert capacity_for(replace(config, d_model=64, num_heads=9, d_ff=256, num_layers=6, qkv_dim=63), 32) == SMALL
    assert capacity_for(replace(config, num_heads=8, d_ff=257), 32) == SMALL
    assert capacity_for(replace(config, d_model=144, num_heads=8, d_ff=256), 32) == WIDE_LEAN
    assert capacity_for(config, 33) == LARGE
    assert capacity_for(replace(config, d_model=144), 32) == WIDE
    assert capacity_for(replace(config, d_ff=513), 32) == WIDE
    assert capacity_for(replace(config, qkv_dim=256), 32) == WIDE
    assert capacity_for(replace(config, d_model=144), 33) == LARGE
    assert capacity_for(replace(config, d_model=272), 32) == Capacity(40, 272, 272, 512, 16, 12, exact=True)
    assert capacity_for(replace(config, d_model=272, max_len=20), 5).seq == 20
    lengths = [capacity_for(replace(config, d_model=272), seq).seq for seq in (1, 24, 25, 40, 60, 61, 64)]
    assert lengths == [24, 24, 40, 40, 64, 64, 64]
    assert capacity_for(replace(config, max_len=200), 65) == Capacity(200, 128, 128, 512, 16, 12, exact=True)


@given(configs(), st.integers(1, 32), seeds, st.sampled_from([SMALLEST, SMALL_LEAN, SMALL, WIDE_LEAN, WIDE]))
def test_all_capacities_give_the_same_numbers(config, seq, seed, smaller):
    heads = min(config.num_heads, smaller.num_heads)
    limits = {"d_model": smaller.d_model, "d_ff": smaller.d_ff, "num_layers": smaller.num_layers}
    sizes = {name: min(size, getattr(config, name)) for name, size in limits.items()}
    config = replace(config, **sizes | {"num_heads": heads, "d_model": max(1, sizes["d_model"] // heads) * heads})
    rng = np.random.default_rng(seed)
    parameters = random_parameters(config, rng)
    rows = rng.standard_normal((1, seq, config.d_model), np.float32)
    mask = np.broadcast_to(np.tri(seq, dtype=bool), (1, config.num_heads, seq, seq))
    (here, here_layers), (there, there_layers) = [
        run_batch(stack_parameters(parameters, config, capacity), rows, mask, config, capacity)
        for capacity in (smaller, LARGE)
    ]
    tolerance = 1e-5 if config.d_model >= 8 else 1e-2  # see test_parity.py
    assert relative_difference(here, there) < tolerance
    for ours, theirs in zip(here_layers, there_layers, strict=True):
        for name, array in ours._asdict().items():
            finite = np.isfinite(array)
            np.testing.assert_array_equal(finite, np.isfinite(getattr(theirs, name)))
            assert relative_difference(array[finite], getattr(theirs, name)[finite]) < tolerance


@given(configs(free_qkv_dim=True), st.integers(1, 40), st.booleans(), st.booleans())
def test_encoders_of_the_shared_draw_have_the_numbers_of_their_parameters(config, seq, qkv_bias, with_edit):
    config = replace(config, max_len=40, qkv_bias=qkv_bias)
    shared = Encoder.random(config, SHARED_SEED)
    assert shared._stacked.uses_shared_draw
    own = Encoder.from_parameters(config, shared.parameters())
    ids = np.random.default_rng(seq).integers(0, config.vocab_size, (1, seq))
    edits = [SetWeight("W_O", config.num_layers - 1, 0, 0, 0, 1.5)] if with_edit else []
    ours, theirs = (encoder.trace(ids, "causal", edits) for encoder in (shared, own))
    tolerance = 1e-5 if config.d_model >= 8 else 1e-2  # see test_parity.py
    assert relative_difference(ours.output, theirs.output) < tolerance
    for here, there in zip(ours.layers, theirs.layers, strict=True):
        np.testing.assert_array_equal(here.out_kernel, there.out_kernel)
        assert relative_difference(here.q, there.q) < tolerance
        assert relative_difference(here.mlp_act, there.mlp_act) < tolerance
    assert bool(shared._stacked.states) == with_edit  # parameters of its own only for the edit


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_one_program_per_layer_gives_the_same_numbers(norm):
    config = EncoderConfig(
        d_model=24, num_heads=3, d_ff=40, num_layers=4, max_len=9, norm=norm, final_norm=norm == "pre"
    )
    exact = Capacity(9, 24, 24, 40, 3, 4, exact=True)
    rng = np.random.default_rng(4)
    parameters = random_parameters(config, rng)
    rows = rng.standard_normal((2, 9, 24), np.float32)
    mask = np.broadcast_to(np.tri(9, dtype=bool), (2, 3, 9, 9))
    edits = [
        SetWeight("W_Q", 1, 2, 3, 4, 0.7), SetWeight("W_O", 3, 0, 1, 2, -0.4), SetScore(1, 2, 0, 5, 3, 1.5),
        HeadFactor(0, 1, 0.0), ResidualFactor(2, "mlp", 0.5), Temperature(0.8),
    ]  # fmt: skip
    edited = combine_edits(edits, config, 2, 9)
    for effects in (Effects(), edited):
        (here, here_layers), (there, there_layers) = [
            run_batch(stack_parameters(parameters, config, capacity), rows, mask, config, capacity, effects)
            for capacity in (SMALL, exact)
        ]
        assert relative_difference(here, there) < 1e-5
        for ours, theirs in zip(here_layers, there_layers, strict=True):
            assert relative_difference(ours.resid_post, theirs.resid_post) < 1e-5
            assert relative_difference(ours.head_contributions, theirs.head_contributions) < 1e-5
    state = stack_parameters(parameters, config, exact)
    complete, layer_inputs = run_output(state, rows[1], mask[1], config, exact, edited, None, 1)
    assert layer_inputs.shape == (4, 9, 24)
    partial, _ = run_output(state, layer_inputs[2], mask[1], config, exact, edited, None, 1, first_layer=2)
    np.testing.assert_allclose(partial, complete, atol=1e-5)
    np.testing.assert_allclose(complete, there[1], atol=1e-5)


LARGER = {"d_model": 300, "num_heads": 20, "d_ff": 1100}  # than every capacity


@pytest.mark.parametrize(
    "sizes",
    [
        {**LARGER, "num_layers": 2},
        {"num_layers": 13},
        {"max_len": 100},
        {"d_model": 32, "qkv_dim": 272, "num_heads": 17},
    ],
)
def test_a_model_larger_than_every_capacity(sizes):
    config = EncoderConfig(vocab_size=VOCAB, **sizes)
    rng = np.random.default_rng(0)
    parameters = random_parameters(config, rng)
    ids = rng.integers(0, VOCAB, (2, config.max_len))
    trace = Encoder.from_parameters(config, parameters).trace(ids, "causal")
    assert trace.output.shape == (2, config.max_len, config.d_model)
    if config.qkv_dim is None:
        reference = run_torch(config, parameters, ids, trace.mask)
        assert relative_difference(trace.output, reference.output) < 1e-5
    else:
        layer = trace.layers[-1]
        assert relative_difference(layer.concat @ layer.out_kernel, layer.head_contributions.sum(1)) < 1e-5


def random_run(rng: np.random.Generator) -> None:
    """A trace with a random configuration, seed, text length, batch, mask and edits."""
    num_heads = int(rng.integers(1, 17))
    config = EncoderConfig(
        vocab_size=int(rng.integers(2, 300)),
        max_len=64,
        d_model=num_heads * int(rng.integers(1, 256 // num_heads + 1)),
        num_heads=num_heads,
        d_ff=int(rng.integers(1, 1025)),
        num_layers=int(rng.integers(1, 13)),
        norm=["post", "pre"][rng.integers(2)],
        final_norm=bool(rng.integers(2)),
        norm_eps=float(rng.choice([1e-12, 1e-6, 1e-5])),
        activation=["relu", "gelu", "gelu_tanh"][rng.integers(3)],
        positions=["sinusoidal", "learned", "none"][rng.integers(3)],
        position_layout=["interleaved", "concatenated"][rng.integers(2)],
        embedding_scale=["none", "sqrt_d", "inv_sqrt_d"][rng.integers(3)],
        use_bias=bool(rng.integers(2)),
        scale_scores=bool(rng.integers(2)),
        output_head=bool(rng.integers(2)),
        activation_after=["first_linear", "second_linear"][rng.integers(2)],
        position_frequencies=["pairs", "dimensions"][rng.integers(2)],
        qkv_bias=bool(rng.integers(2)),
        attention_read_out=["stack", "input"][rng.integers(2)],
        dropout=float(rng.uniform(0, 0.9)),
        dropout_at=("embedded", "pattern", "attn_out", "mlp_act", "mlp_out")[: rng.integers(6)],
    )
    ids = rng.integers(0, config.vocab_size, (int(rng.integers(1, 4)), int(rng.integers(1, 65))))
    edit_formats = rng.permutation(EDIT_FORMATS)[: rng.integers(len(EDIT_FORMATS) + 1)]
    edits = [random_edit(rng, edit_format, config, *ids.shape) for edit_format in edit_formats]
    mask = [None, "causal"][rng.integers(2)]
    trace = Encoder.random(config, int(rng.integers(1000))).trace(ids, mask, edits)
    assert np.isfinite(trace.output).all()
    assert len([layer.head_contributions for layer in trace.layers]) == config.num_layers


def test_after_warm_up_nothing_is_compiled():
    warm_up()
    release_compiler_memory()
    rng = np.random.default_rng(0)
    with CompilationCounter() as counter:
        for _ in range(25):
            random_run(rng)
        encoder = Encoder.random(EncoderConfig(num_heads=2))
        ablate_heads(encoder, "one two three", "causal", [Dropout(0)])
        ablate_tokens(encoder, "one two three", "causal")
        for name, recipe in RECIPES.items():
            for variant in VARIANTS:
                Encoder.recipe(name, variant).trace(*recipe.inputs()[:2])
        assert counter.count == 0
        jax.jit(lambda x: x + rng.integers(10))(jnp.zeros(3)).block_until_ready()
        assert counter.count > 0, "the counter does not count compilations"


def test_warm_up_begins_with_the_program_that_most_first_visitors_wait_for(monkeypatch):
    compiled: list[Capacity] = []
    monkeypatch.setattr(compile_ahead, "compile_forward", compiled.append)
    warm_up()
    assert compiled[0] == capacity_for(EncoderConfig(), seq=18)
    assert compiled[: len(CAPACITIES)] == list(CAPACITIES)
    assert len(compiled) > len(CAPACITIES), "the programs of recipes are missing"


def test_warm_up_compiles_nothing_for_a_wrong_seed(monkeypatch, unchecked):
    monkeypatch.setattr(compile_ahead, "compile_forward", lambda capacity: pytest.fail("it was compiled"))
    with pytest.raises(ValueError, match="seed='x' is invalid: allowed are whole numbers from 0"):
        warm_up("x")


def test_warm_up_tells_its_progress_which_can_end_it(monkeypatch):
    monkeypatch.setattr(compile_ahead, "compile_forward", lambda capacity: None)
    told: list[tuple[int, int]] = []
    warm_up(progress=lambda *numbers: told.append(numbers))
    total = len(told)
    assert total > len(CAPACITIES)
    assert told == [(done, total) for done in range(1, total + 1)]

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        warm_up(progress=stop)
    assert told[total:] == [(1, total), (2, total)]
    encoder = Encoder.random(EncoderConfig(max_len=40))
    encoder.warm_up(progress=lambda *numbers: told.append(numbers))
    assert told[-1][0] == told[-1][1] > 1


@pytest.mark.usefixtures("unchecked")
def test_progress_that_is_no_function():
    for function in (warm_up, Encoder.random(EncoderConfig()).warm_up):
        with pytest.raises(ValueError, match="progress=0 is invalid: allowed are None and functions"):
            function(progress=0)


def test_eight_threads_give_the_same_traces_as_one():
    configurations = [
        EncoderConfig(d_model=8 * heads, num_heads=heads, num_layers=layers, norm=norm)
        for heads, layers, norm in [(2, 3, "post"), (4, 6, "pre"), (16, 2, "post"), (20, 1, "pre")]
    ]
    ids = np.random.default_rng(0).integers(0, 128, (2, 40))
    expected = [Encoder.random(config).trace(ids, "causal") for config in configurations]
    shared = [Encoder.random(config) for config in configurations]
    start = threading.Barrier(8)

    def work(thread: int) -> list[bool]:
        start.wait()
        same = []
        for turn in range(len(shared)):
            index = (thread + turn) % len(shared)
            trace = shared[index].trace(ids, "causal")
            pairs = [(trace.output, expected[index].output)]
            for ours, theirs in zip(trace.layers, expected[index].layers, strict=True):
                pairs += zip(ours, theirs, strict=True)
            same += [np.array_equal(ours, theirs) for ours, theirs in pairs]
        return same

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(work, range(8)))
    assert all(all(same) for same in results)
    assert len(results) == 8


def test_reference_counting_frees_an_encoder_and_its_trace(no_collection):
    encoder = Encoder.random(EncoderConfig(), SHARED_SEED + 1)
    trace = encoder.trace("one two three", "causal", [Temperature(2.0)])
    references = [weakref.ref(encoder), weakref.ref(trace.output), weakref.ref(trace.layers[0].pattern)]
    references += [weakref.ref(state) for state in encoder._stacked.states]  # of its own: it shares no draw
    assert len(references) == 4
    del encoder, trace
    assert [reference() for reference in references] == [None] * 4


def test_inputs_without_edits_are_those_of_one_layer_at_an_exact_capacity():
    """A program of an exact capacity computes one layer: those of all layers are 217 MB for 12 layers of 512 tokens."""
    gc.collect()
    before = {id(array) for array in jax.live_arrays()}
    capacity = Capacity(seq=96, d_model=48, qkv_width=48, d_ff=64, num_heads=5, num_layers=7, exact=True)
    edits, dropout = layer_edits(capacity, Effects(), 0), layer_dropout(capacity, None, 0)
    traced = TracedInputs(np.ones((5, 96, 96), bool), Dims(48, 9, 7), None, edits, dropout)
    by_layer = split_by_layer(capacity, traced)
    assert len(by_layer) == 7
    assert {layer.edits.scores.shape for layer in by_layer} == {(5, 96, 96)}
    made = sum(array.nbytes for array in jax.live_arrays() if id(array) not in before)
    of_one_layer = sum(leaf.nbytes for leaf in jax.tree.leaves((by_layer[0].edits, by_layer[0].dropout)))
    assert made <= 2 * of_one_layer + 1000


def test_another_depth_compiles_nothing_at_an_exact_capacity():
    ids = np.arange(64)[None] % VOCAB
    models = [Encoder.random(EncoderConfig(vocab_size=VOCAB, num_layers=layers, **LARGER)) for layers in (1, 3)]
    models[0].trace(ids)
    with CompilationCounter() as counter:
        trace = models[1].trace(ids)
    assert (counter.count, len(trace.layers)) == (0, 3)


def test_an_edit_of_one_layer_changes_no_other_at_an_exact_capacity():
    capacity = Capacity(seq=4, d_model=4, qkv_width=4, d_ff=4, num_heads=2, num_layers=3, exact=True)
    config = EncoderConfig(vocab_size=9, d_model=4, num_heads=2, d_ff=4, num_layers=3, max_len=4)
    edit = SetScore(0, 1, 1, 2, 3, 5.0), HeadFactor(2, 0, 0.5), ResidualFactor(0, "mlp", 0.25)
    edits = layer_edits(capacity, combine_edits(edit, config, 1, 4), 0)
    kept = draw_dropout(replace(config, dropout=0.5), Dropout(1), 1, 4)
    traced = TracedInputs(None, None, None, edits, layer_dropout(capacity, kept, 0))
    by_layer = split_by_layer(capacity, traced)
    scores = [np.argwhere(~np.isnan(layer.edits.scores)).tolist() for layer in by_layer]
    assert scores == [[], [[1, 2, 3]], []]
    assert [np.asarray(layer.edits.head_factors).tolist() for layer in by_layer] == [[1, 1], [1, 1], [0.5, 1]]
    assert [float(layer.edits.mlp_residual) for layer in by_layer] == [0.25, 1, 1]
    for layer, draw in zip(by_layer, kept.layers, strict=True):
        np.testing.assert_array_equal(layer.dropout.attn_out.kept, draw.attn_out[0])
        assert float(layer.dropout.attn_out.scale) == 2
