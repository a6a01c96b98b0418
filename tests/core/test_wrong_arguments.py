"""Arguments of a wrong type, as in a notebook: each gets a sentence that names the argument and what is allowed."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import (
    Encoder,
    EncoderConfig,
    HeadFactor,
    NumbersTooLarge,
    ResidualFactor,
    Temperature,
    TokenBatch,
    WordTokenizer,
    compatible_edits,
)
from encoder_core.edits import combine_edits, format_edit, parse_edit
from encoder_core.explain.cell import Cell, check_cell, parse_cell
from encoder_core.explain.derivation import Operand, Term, largest_first
from encoder_core.figures import heatmap
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.positions import sinusoids
from encoder_core.training import TrainingPlan
from encoder_core.training.run import TrainingRun

pytestmark = pytest.mark.usefixtures("unchecked")

CONFIG = EncoderConfig(vocab_size=20, max_len=6, d_model=8, num_heads=2)
ENCODER = Encoder.random(CONFIG)
PARAMETERS = ENCODER.parameters()
BATCH = WordTokenizer(["a", "b"])("a b")
IDS = BATCH.ids
REAL = np.ones((1, 2), bool)
CONFIGURATIONS = r"config=.* is invalid: allowed are configurations, such as EncoderConfig\(d_model=64\)"
NO_CONFIGS = [None, "nnx", 64, {"d_model": 64}, EncoderConfig, np.zeros(3)]


def refuses(message):
    return pytest.raises(ValueError, match=message)


@pytest.mark.parametrize("config", NO_CONFIGS)
def test_a_configuration_is_required(config):
    calls = (
        lambda: Encoder(config, PARAMETERS),
        lambda: Encoder.random(config),
        lambda: Encoder.from_parameters(config, PARAMETERS),
        lambda: ENCODER.with_config(config),
        lambda: combine_edits([], config, 1, 2),
        lambda: compatible_edits([], config, 1, 2),
    )
    for call in calls:
        with refuses(CONFIGURATIONS):
            call()


@pytest.mark.parametrize("parameters", [None, "abc", 3, [np.zeros(3)], np.zeros((2, 2))])
def test_parameters_are_a_dictionary(parameters):
    for make in (Encoder, Encoder.from_parameters):
        with refuses("parameters=.* is invalid: allowed are dictionaries like that of"):
            make(CONFIG, parameters)
    if parameters is not None:
        with refuses("extra_parameters=.* is invalid: allowed are None and dictionaries of arrays"):
            ENCODER.with_config(CONFIG, parameters)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token_embedding": [[1.0]]}, r"'token_embedding' is no float32 array of shape \(20, 8\)"),
        ({"token_embedding": np.zeros((20, 9), np.float32)}, r"'token_embedding' is no float32 array of shape"),
        ({"token_embedding": np.zeros((20, 8))}, r"'token_embedding' is no float32 array of shape"),
        ({"bias": np.zeros(3, np.float32)}, r"1 unknown parameter\(s\): bias"),
        ({3: np.zeros(3, np.float32)}, r"1 unknown parameter\(s\): 3"),
    ],
)
def test_the_constructor_takes_the_arrays_of_the_configuration(change, message):
    with refuses(message):
        Encoder(CONFIG, PARAMETERS | change)
    with refuses(r"missing parameter\(s\)"):
        Encoder(CONFIG, {})


@pytest.mark.parametrize("tokenizer", ["words", 3, [], "", ["a"], WordTokenizer, np.zeros(2), object()])
def test_a_tokenizer_is_required(tokenizer):
    for make in (
        lambda: Encoder.random(CONFIG, tokenizer=tokenizer),
        lambda: Encoder.from_parameters(CONFIG, PARAMETERS, tokenizer=tokenizer),
    ):
        with refuses("tokenizer=.* is invalid: allowed are None and tokenizers, such as WordTokenizer"):
            make()


@pytest.mark.parametrize("size", [None, "3", 0, -1, 1.5, True, [1], np.zeros(2), float("nan")])
def test_costs_are_of_whole_numbers_of_tokens(size):
    shared = Encoder.random(CONFIG)
    for name, cost in (
        ("seq", lambda: ENCODER.flops(size)),
        ("batch", lambda: ENCODER.flops(3, size)),
        ("seq", lambda: ENCODER.memory_bytes(size)),
        ("seq", lambda: shared.memory_bytes(size)),
    ):
        with refuses(f"{name}=.* is invalid: allowed are whole numbers from 1"):
            cost()


def test_costs_are_integers_of_python():
    assert type(ENCODER.flops(np.int64(3), np.int32(2))) is int
    assert ENCODER.flops(np.int64(3), np.int32(2)) == ENCODER.flops(3, 2)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (BATCH._replace(ids=None), "ids=None is invalid: allowed are integer arrays of shape"),
        (BATCH._replace(ids=[[2, 3]]), r"ids=\[\[2, 3\]\] is invalid: allowed are integer arrays"),
        (BATCH._replace(ids=np.array([[2.5, 3.0]])), "ids=.* is invalid: allowed are integer arrays"),
        (BATCH._replace(ids=np.array([2, 3])), "ids=.* is invalid: allowed are integer arrays"),
        (BATCH._replace(real=np.ones((1, 3), bool)), r"real=.* is invalid: allowed are boolean arrays of the shape"),
        (BATCH._replace(real=np.ones((1, 2))), "real=.* is invalid: allowed are boolean arrays"),
        (BATCH._replace(tokens=(("a", "b", "c"),)), "tokens=.* is invalid: allowed are one token, as a"),
        (BATCH._replace(tokens=()), "tokens=.* is invalid: allowed are one token, as a text, for each of the ids"),
        *(
            (
                BATCH._replace(tokens=tokens),
                "tokens.* is invalid: allowed (are|for tokens are) one token, as a text, for each of",
            )
            for tokens in (None, 3, (1,), ((1, 2),), ("ab",), "ab")
        ),
        (TokenBatch((), None, None, ()), "ids=None is invalid"),
    ],
)
def test_a_token_batch_made_by_hand(batch, message):
    with refuses(message):
        ENCODER.trace(batch)


@pytest.mark.parametrize("sentences", ["The", BATCH, None, 3, np.array([[1, 2]]), {"a": 1}, b"The"])
def test_traced_sentences_are_a_list(sentences):
    with refuses("batches=.* is invalid: allowed are lists of sentences, such as"):
        ENCODER.trace_sentences(sentences)


def test_traced_sentences_are_batches_or_texts():
    with refuses(r"batches\[1\]=3 is invalid: allowed for batches are lists of sentences"):
        ENCODER.trace_sentences([BATCH, 3])
    with refuses(r"batches\[1\]: text 1 has no words"):
        ENCODER.trace_sentences(["a b", "", "c"])
    with refuses("mask=array.* is invalid: allowed are None, 'causal'"):
        ENCODER.trace_sentences([BATCH], np.ones((2, 2), bool))
    assert [trace.tokens for trace in ENCODER.trace_sentences(["a b", "c"])] == [("a", "b"), ("c",)]
    assert list(ENCODER.trace_sentences([])) == []


@pytest.mark.parametrize("edits", [None, "head.0.0=0", 3, np.array(3), HeadFactor(0, 0)])
def test_edits_are_a_list(edits):
    for call in (
        lambda: ENCODER.trace("a", edits=edits),
        lambda: ENCODER.run_with_compatible_edits("a", edits=edits),
        lambda: compatible_edits(edits, CONFIG, 1, 2),
    ):
        with refuses("edits=.* is invalid: allowed are lists of edits"):
            call()


@pytest.mark.parametrize("edit_lists", [None, 3, "head.0.0=0", np.array(3), [HeadFactor(0, 0)], [None]])
def test_edit_lists_are_lists_of_lists(edit_lists):
    with refuses(r"edit_lists.*=.* is invalid: allowed (are|for edit_lists are) .*lists of lists of edits"):
        ENCODER.outputs_with_edits("a", edit_lists=edit_lists)


# Edits are made in the tests, because annotations are checked before the fixture takes effect.
@pytest.mark.parametrize(
    ("kind", "fields"),
    [(HeadFactor, (0, 0, "half")), (HeadFactor, (0, "first")), (Temperature, (None,)), (HeadFactor, (-1, 0))],
)
def test_an_edit_with_a_wrong_field_is_ignored_with_a_sentence(kind, fields):
    edit = kind(*fields)
    _, (problem,) = ENCODER.run_with_compatible_edits("a", edits=[edit])
    assert problem.startswith(f"The edit “{edit!r}” is ignored: ")
    assert problem.count(repr(edit)) == 1
    assert " is invalid: allowed are " in problem
    assert problem.edit == edit


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (HeadFactor, (0, None), "head=None is invalid: allowed are whole numbers from 0"),
        (HeadFactor, (0.5, 0), "layer=0.5 is invalid: allowed are whole numbers from 0"),
        (HeadFactor, (0, 0, "x"), "factor='x' is invalid: allowed are finite numbers"),
        (HeadFactor, (0, 0, float("nan")), "factor=nan is invalid: allowed are finite numbers"),
        (HeadFactor, (0, 0, True), "factor=True is invalid: allowed are finite numbers"),
        (Temperature, (None,), "value=None is invalid: allowed are finite numbers"),
        (ResidualFactor, (0, "norm"), "sublayer='norm' is invalid: allowed are 'attention', 'mlp'"),
    ],
)
def test_an_edit_without_a_text(kind, fields, message):
    with refuses(message):
        format_edit(kind(*fields))


def test_the_text_of_an_edit_with_numbers_of_numpy():
    edit = HeadFactor(np.int64(1), np.int32(0), np.float32(0.5))
    assert format_edit(edit) == "head.1.0=0.5"
    assert format_edit(HeadFactor(1, 0, np.int64(2))) == "head.1.0=2"


@pytest.mark.parametrize("text", [None, 3, ["head.0.0=0"], np.array(3)])
def test_an_edit_is_parsed_from_a_text(text):
    with refuses("edit=.* is invalid: allowed are texts such as 'head.2.0=0'"):
        parse_edit(text)


@pytest.mark.parametrize("size", [0, -1, None, 1.5, True])
def test_edits_fit_a_batch_of_whole_sizes(size):
    with refuses("batch=.* is invalid: allowed are whole numbers from 1"):
        combine_edits([HeadFactor(0, 0)], CONFIG, size, 2)
    with refuses("seq=.* is invalid: allowed are whole numbers from 1"):
        compatible_edits([HeadFactor(0, 0)], CONFIG, 1, size)


def test_a_long_value_is_shortened():
    with refuses(r"seed=.{1,110}… is invalid") as error:
        Encoder.random(CONFIG, np.zeros((30, 30)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("factor", [1e12, -1e30])
def test_parameters_that_overflow_are_a_sentence(factor):
    large = {name: array * np.float32(factor) for name, array in PARAMETERS.items()}
    encoder = Encoder.from_parameters(CONFIG, large)
    with pytest.raises(NumbersTooLarge, match="These parameters make numbers too large for 32-bit floats"):
        encoder.trace(IDS)
    with pytest.raises(NumbersTooLarge, match="These parameters and edits make"):
        encoder.trace(IDS, edits=[Temperature(2.0)])


def test_an_encoder_that_shares_large_parameters_is_checked_too():
    large = {name: array * np.float32(1e12) for name, array in PARAMETERS.items()}
    learned = replace(CONFIG, positions="learned")
    for encoder in (
        Encoder.from_parameters(CONFIG, large).with_config(replace(CONFIG, final_norm=False)),
        ENCODER.with_config(learned, {"position_embedding": np.full((6, 8), 1e38, np.float32)}),
    ):
        with pytest.raises(NumbersTooLarge, match="These parameters make"):
            encoder.trace(IDS)


def test_large_parameters_that_do_not_overflow_are_allowed():
    larger = PARAMETERS | {"token_embedding": PARAMETERS["token_embedding"] * np.float32(1e6)}
    assert np.isfinite(Encoder.from_parameters(CONFIG, larger).trace(IDS).output).all()


def test_a_parameter_beyond_float32_is_a_sentence_without_a_warning(recwarn):
    with refuses("'token_embedding' contains values that are not finite in float32"):
        Encoder.from_parameters(CONFIG, PARAMETERS | {"token_embedding": np.full((20, 8), 1e300)})
    assert not recwarn.list


RUN = ENCODER.run("a b", edits=[HeadFactor(0, 0)])
TRACE_TEXT = "EncoderTrace(batch=1, seq=2, d_model=8, num_heads=2, num_layers=2)"


def test_the_text_of_an_object_is_one_short_line():
    (sentence,) = ENCODER.trace_sentences(["a b"])
    assert repr(RUN.trace) == TRACE_TEXT
    assert repr(RUN) == f"Run({TRACE_TEXT}, edits=1)"
    assert repr(RUN.trace.layers[1]) == "LayerTrace(batch=1, seq=2, d_model=8, num_heads=2)"
    assert repr(sentence) == "SentenceTrace(seq=2, d_model=8, num_heads=2, num_layers=2)"
    assert repr(ENCODER) == "Encoder(vocab_size=20, max_len=6, d_model=8, num_heads=2, d_ff=256, num_layers=2)"
    assert repr(WordTokenizer(["a", "b"])) == "WordTokenizer(vocab_size=4)"
    assert repr(heatmap(np.eye(2), ["a", "b"], title="T")) == "Panel(kind='heatmap', title='T')"
    training = TrainingRun(TrainingPlan(task="copy", d_model=16, num_heads=1, num_layers=1))
    assert repr(training) == "TrainingRun(task='copy', seed=0, step=0 of 1000)"
    state = training.state()
    assert repr(state) == f"RunState(step=0, num_bytes={state.num_bytes})"


def test_a_message_does_not_quote_arrays():
    many = np.zeros((30, 30))
    for call in (
        lambda: Encoder.recipe(RUN.trace),
        lambda: Encoder.recipe(many),
        lambda: Encoder.recipe("nnx", many),
        lambda: Encoder.pretrained(many),
        lambda: Encoder.pretrained("all-MiniLM-L6-v2", max_len=many),
        lambda: ENCODER.trace("a b", edits=[HeadFactor(0, many)]),
        lambda: format_edit(many),
    ):
        with pytest.raises(ValueError, match=r"^.{1,400}$"):
            call()
    _, (problem,) = ENCODER.run_with_compatible_edits("a", edits=[HeadFactor(0, many)])
    assert len(problem) < 400


@pytest.mark.parametrize("layer", [99, 2, -1, None, True, "0"])
def test_factors_of_a_layer_that_does_not_exist(layer):
    np.testing.assert_array_equal(RUN.head_factors(0), [0, 1])
    for call in (RUN.head_factors, RUN.residual_factors, lambda layer: RUN.residual_factor(layer, "mlp")):
        with refuses("layer=.* is invalid: allowed are 0 to 1"):
            call(layer)
    with refuses("sublayer='norm' is invalid: allowed are 'attention', 'mlp'"):
        RUN.residual_factor(0, "norm")


@pytest.mark.parametrize("words", [{"a", "b"}, frozenset({"a"})])
def test_the_words_of_a_tokenizer_have_an_order(words):
    with refuses("words=.* is invalid: allowed are lists of words"):
        WordTokenizer(words)
    assert WordTokenizer({"b": 1, "a": 2}.keys()).vocabulary == ("[PAD]", "[UNK]", "b", "a")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 4, "sines"), "layout='sines' is invalid: allowed are 'interleaved', 'concatenated'"),
        ((2, 4, "interleaved", 3), "frequencies=3 is invalid: allowed are 'pairs', 'dimensions'"),
        (("2", 4), "seq='2' is invalid: allowed are whole numbers from 1"),
        ((2, 0), "d_model=0 is invalid: allowed are whole numbers from 1"),
    ],
)
def test_arguments_of_sinusoids(arguments, message):
    with refuses(message):
        sinusoids(*arguments)


PARAMETERS_ALLOWED = "parameters=.* is invalid: allowed are dictionaries like that of"
TERM = Term((Operand("x", 2.0),), 2.0, 2.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse_cell(None, RUN.trace, PARAMETERS), "cell=None is invalid: allowed are texts such as"),
        (lambda: parse_cell(b"ids.0.0", RUN.trace, PARAMETERS), "cell=b'ids.0.0' is invalid: allowed are texts"),
        (lambda: parse_cell("ids.0.0", RUN, PARAMETERS), "trace=Run.* is invalid: allowed are traces, such as"),
        (lambda: parse_cell("parameters.token_embedding.0.0", RUN.trace, None), PARAMETERS_ALLOWED),
        (lambda: check_cell("ids.0.0", RUN.trace, PARAMETERS), "cell='ids.0.0' is invalid: allowed are cells"),
        (lambda: check_cell(Cell(3, (0,)), RUN.trace, PARAMETERS), "tensor=3 is invalid: allowed are names of tensors"),
        (lambda: check_cell(Cell("ids", 3), RUN.trace, PARAMETERS), "index=3 is invalid: allowed are tuples"),
        (lambda: check_cell(Cell("ids", (0, 0)), None, PARAMETERS), "trace=None is invalid: allowed are traces"),
        (lambda: largest_first(None, 1), "terms=None is invalid: allowed are lists of terms"),
        (lambda: largest_first("ab", 1), "terms='ab' is invalid: allowed are lists of terms"),
        (lambda: largest_first([TERM, 2.0], 1), r"terms\[1\]=2.0 is invalid: allowed for terms are lists of terms"),
    ],
)
def test_arguments_of_derivations(call, message):
    with refuses(message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CustomMask("5"), "axes='5' is invalid: allowed are '2', '3', 'keys', '4'"),
        (lambda: CustomMask(["2"]), r"axes=\['2'\] is invalid"),
        (lambda: CustomMask("keys", "causal"), "start='causal' is invalid: allowed are 'all', 'padding', 'nothing'"),
        (lambda: CustomMask("2", "all", (2, 2), b"a"), r"shape=\(2, 2\) and 1 cells are invalid: allowed are 2 sizes"),
        (lambda: CustomMask("2", "all", (1,), b"a"), r"shape=\(1,\) and 1 cells are invalid: allowed are 2 sizes"),
        (lambda: CustomMask("2", "all", 3), "shape=3 is invalid: allowed are tuples of whole numbers"),
        (lambda: CustomMask("2", "all", (1, 1), "a"), "cells='a' is invalid: allowed are bytes"),
        (
            lambda: CustomMask("2", "all", (-1, -1), b"\1"),
            r"shape\[0\]=-1 is invalid: allowed are whole numbers from 1",
        ),
        (lambda: CustomMask("2", "all", (1, 0)), r"shape\[1\]=0 is invalid: allowed are whole numbers from 1"),
        (lambda: CustomMask("2", "all", (1, 1), b"\3"), r"cells=b'\\x03' is invalid: allowed are bytes of 0, 1 \(vis"),
        (lambda: CustomMask.from_cells("3", "all", np.ones((2, 2), np.int8)), r"cells: shape=\(2, 2\) is invalid"),
        (lambda: CustomMask.from_cells("2", "all", np.full((2, 2), 7)), "cells=.* is invalid: allowed are arrays of 0"),
        (lambda: CustomMask().array(None, 1), r"real=None is invalid: allowed are numbers of shape \(batch, seq\)"),
        (lambda: CustomMask().array(np.ones((1, 2)), 1), r"real=.* is invalid: allowed are boolean arrays"),
        (lambda: CustomMask("4").array(REAL, "x"), "heads='x' is invalid: allowed are whole numbers from 1"),
        (lambda: CustomMask().with_visible(np.ones((3, 3), bool), REAL, 1), "visible=.* arrays of shape"),
        (lambda: CustomMask().nearest_start(None, REAL, 1), "visible=None is invalid: allowed are boolean arrays"),
        (lambda: CustomMask().with_axes("5", REAL, 1), "axes='5' is invalid: allowed are '2', '3', 'keys', '4'"),
        (lambda: CustomMask("4").with_axes("2", REAL, 1, sentence=3), "sentence=3 is invalid: allowed are 0 to 0"),
        (lambda: CustomMask("4").with_axes("2", REAL, 2, head=-1), "head=-1 is invalid: allowed are 0 to 1"),
    ],
)
def test_arguments_of_a_custom_mask(call, message):
    with refuses(message):
        call()
