"""Pickled and copied encoders, runs and traces: the same numbers, in read-only arrays."""

import copy
import pickle

import jax
import jaxtyping
import numpy as np
import pytest

from encoder_core import RECIPES, Dropout, Encoder, EncoderConfig, HeadFactor, SetScore, SetWeight, analysis
from encoder_core.analysis import language
from encoder_core.explain import sublayers
from encoder_core.figures import window
from encoder_core.inputs.tokenizer import WordTokenizer
from tests.core.pretrained.tiny import save_tiny

CONFIG = EncoderConfig(vocab_size=20, d_model=8, num_heads=2, d_ff=8, num_layers=2, dropout=0.5)
EDITS = [Dropout(3), HeadFactor(0, 1), SetScore(0, 0, 0, 0, 0, 1.0), SetWeight("W_V", 0, 0, 0, 0, 2.0)]
IDS = np.array([[0, 1]])
KINDS = ["random", "shared draw", "from parameters", "recipe", "pretrained"]


@pytest.fixture(scope="module")
def encoders(tmp_path_factory):
    tokenizer = WordTokenizer(["the", "cat"])
    encoders = {
        "random": Encoder.random(CONFIG, 5),
        "shared draw": Encoder.random(CONFIG, tokenizer=tokenizer),
        "from parameters": Encoder.from_parameters(CONFIG, Encoder.random(CONFIG, 2).parameters(), tokenizer=tokenizer),
        "recipe": Encoder.recipe("haiku"),
        "pretrained": Encoder.pretrained(save_tiny(tmp_path_factory.mktemp("tiny"))),
    }
    for encoder in encoders.values():
        encoder.trace("the cat")  # a used encoder has arrays on the device
    return encoders


def pickled(value):
    return pickle.loads(pickle.dumps(value))


def assert_same(trace, other):
    jax.tree.map(np.testing.assert_array_equal, trace, other)


def assert_read_only(trace):
    arrays = [leaf for leaf in jax.tree.leaves(trace) if isinstance(leaf, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("duplicate", [pickled, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder(kind, duplicate, encoders):
    encoder = encoders[kind]
    other = duplicate(encoder)
    assert other.config == encoder.config
    assert_same(encoder.trace("the cat"), other.trace("the cat"))
    assert_read_only((other.parameters(), other.trace("the cat")))
    assert encoder.memory_bytes(4) == other.memory_bytes(4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_encoder(kind, encoders, tmp_path):
    encoder, path = encoders[kind], tmp_path / "encoder"
    encoder.save(path)
    other = Encoder.load(str(path))
    assert (other.config, repr(other.tokenizer)) == (encoder.config, repr(encoder.tokenizer))
    trace, its_trace = (each.trace(["The cat", "the"], "padding") for each in (encoder, other))
    assert trace.tokens == its_trace.tokens
    assert_same(trace, its_trace)
    assert_read_only(other.parameters())


@pytest.mark.parametrize("duplicate", [pickled, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", ["random", "from parameters", "pretrained"])
def test_a_run(kind, duplicate, encoders):
    run = encoders[kind].run("the cat", "causal", EDITS)
    assert not run.trace.layers[0].pattern.flags.writeable
    _ = run.edited_parameters  # cached by the run
    other = duplicate(run)
    assert (other.config, other.edits, other.effects) == (run.config, run.edits, run.effects)
    assert_same(run.trace, other.trace)
    assert_same(dict(run.edited_parameters), dict(other.edited_parameters))
    assert_same(dict(run.edited_parameters), dict(duplicate(run.edited_parameters)))
    assert_read_only((other.trace, dict(other.parameters), dict(other.edited_parameters)))


@pytest.mark.parametrize("duplicate", [pickled, copy.deepcopy])
def test_traces(duplicate, encoders):
    (sentence,) = encoders["recipe"].trace_sentences(["the cat"])
    for trace in (encoders["recipe"].trace("the cat"), encoders["recipe"].trace("the cat").layers[0], sentence):
        other = duplicate(trace)
        assert type(other) is type(trace)
        assert_same(trace, other)
        assert_read_only(other)
    trace = encoders["recipe"].trace("the cat")
    assert_read_only((trace.layers[0].head_contributions, Encoder.recipe("nanolm").trace(IDS).probabilities))


def test_a_random_encoder_is_pickled_without_its_numbers(encoders):
    assert len(pickle.dumps(encoders["random"])) < 2000


@pytest.mark.parametrize("name", ["config", "tokenizer", "num_parameters", "num_bytes"])
def test_the_attributes_of_an_encoder_are_read_only(name, encoders):
    encoder = encoders["random"]
    with pytest.raises(AttributeError):
        setattr(encoder, name, None)
    assert encoder.config == CONFIG


def test_what_holds_arrays_is_equal_to_itself_only(encoders):
    """Tuples would compare the arrays of two of them, which have no truth value."""
    encoder, inputs, tokenizer = encoders["random"], RECIPES["haiku"].inputs, WordTokenizer(["the", "cat"])
    runs = [(encoder.trace("the cat", edits=[Dropout(1)]), *encoder.trace_sentences(["the cat"])) for _ in range(2)]
    for one, other in (
        *zip(*runs, strict=True),
        (runs[0][0].layers[0], runs[1][0].layers[0]),
        (runs[0][0].kept, runs[1][0].kept),
        (runs[0][0].kept.layers[0], runs[1][0].kept.layers[0]),
        (tokenizer("the cat"), tokenizer("the cat")),
        (inputs(), inputs()),
        (inputs().inputs, inputs().inputs),
    ):
        assert one == one
        assert one != other
        assert not one == other  # noqa: SIM201
        assert len({one, one, other}) == 2


@pytest.mark.parametrize("module", [analysis, language, sublayers, window])
def test_results_that_hold_arrays_are_equal_to_themselves_only(module):
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and hasattr(kind, "_fields")]
    with_arrays = [kind for kind in kinds if any(map(_is_array, kind.__annotations__.values()))]
    assert with_arrays
    assert {kind.__name__ for kind in with_arrays if kind.__eq__ is not object.__eq__} == set()


def _is_array(annotation):
    return isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray)
