"""Arguments of a wrong type for measures: each gets a sentence that names the argument and what is allowed."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import (
    Encoder,
    EncoderConfig,
    ReplaceToken,
    WordTokenizer,
    ablate_heads,
    ablate_tokens,
    analysis,
)
from encoder_core.analysis import language

pytestmark = pytest.mark.usefixtures("unchecked")

CONFIG = EncoderConfig(vocab_size=20, max_len=8, d_model=8, num_heads=2, output_head=True)
ENCODER = Encoder.random(CONFIG)
TOKENS = ["a b . a", "c a"]
RUN = ENCODER.run(TOKENS, "padding")
TRACE = RUN.trace
SENTENCES = list(ENCODER.trace_sentences(["a b c", "c a"]))
CONTEXTS = language.context_vectors(SENTENCES)
PAIRS = language.pair_weights(SENTENCES)
VECTORS = SENTENCES[0].stages[:, 0]
COMPARISON = language.compare_contexts(VECTORS, "a", [CONTEXTS])
MATRIX = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
WEIGHTS = language.attention_from(TRACE, 0)
PLANE = analysis.principal_plane(MATRIX[None])

NO_TRACES = [None, "a b", 3, {"a": 1}, np.zeros((2, 2)), [TRACE], RUN]
NO_NUMBERS = [None, "abc", ["a"], [None], {"a": 1}, object(), np.array([object()])]


def refuses(message):
    return pytest.raises(ValueError, match=message)


@pytest.mark.parametrize("value", NO_TRACES)
@pytest.mark.parametrize(
    "measure",
    [
        lambda trace: analysis.stack_patterns(trace, 0),
        lambda trace: analysis.visible_keys(trace, 0),
        lambda trace: analysis.residual_stream(trace, 0),
        lambda trace: analysis.stage_vectors(trace, analysis.residual_stages(CONFIG)[0]),
        lambda trace: language.attention_from(trace, 0),
        lambda trace: language.same_word_similarity(trace, (0, 0), (1, 1)),
        lambda trace: language.different_words_similarity(trace, (0, 0), (1, 1)),
        analysis.rollout,
        analysis.later_key_share,
        analysis.attends_to_padding,
        language.sentence_vectors,
    ],
)
def test_a_trace_is_required(measure, value):
    with refuses(r"trace=.* is invalid: allowed are traces, such as encoder\.trace\(text\)"):
        measure(value)


@pytest.mark.parametrize("value", [*NO_TRACES, TRACE])
@pytest.mark.parametrize(
    "measure",
    [
        lambda run: analysis.logit_attribution(run, 0, 1),
        lambda run: analysis.neuron_contributions(run, 0, 1, 0),
        analysis.logit_lens,
        lambda run: analysis.residual_step(run, 1, 0),
    ],
)
def test_a_run_is_required(measure, value):
    if value is not RUN:
        with refuses(r"run=.* is invalid: allowed are runs, such as encoder\.run\(text\)"):
            measure(value)


@pytest.mark.parametrize("traces", [None, "a b", 3, TRACE, SENTENCES[0], [RUN], ["a b"], np.zeros((2, 2))])
def test_a_list_of_traces_is_required(traces):
    for measure in (language.head_roles, language.pair_weights, language.context_vectors):
        with refuses(r"traces.*=.* is invalid: allowed (are|for traces are) lists and generators of traces, such as"):
            measure(traces)
    for measure in (language.pair_weights, language.context_vectors):
        with refuses("allowed are traces of at least one sentence"):
            measure([])
    with refuses("there is no token to measure"):
        language.head_roles([])


@pytest.mark.parametrize("config", [None, "nnx", CONFIG.d_model, EncoderConfig])
def test_a_configuration_is_required(config):
    for measure in (analysis.has_predictions, analysis.residual_stages):
        with refuses("config=.* is invalid: allowed are configurations"):
            measure(config)


@pytest.mark.parametrize("encoder", [None, "minilm", CONFIG, Encoder])
def test_an_encoder_is_required(encoder):
    for ablate in (ablate_heads, ablate_tokens):
        with refuses("encoder=.* is invalid: allowed are encoders, such as"):
            ablate(encoder, "a b")


@pytest.mark.parametrize("value", NO_NUMBERS)
@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("rows", lambda rows: analysis.cosines(rows, MATRIX)),
        ("others", lambda others: analysis.cosines(MATRIX, others)),
        ("rows", lambda rows: analysis.cosines_by_group(rows, [0, 1])),
        ("weights", analysis.entropy),
        ("visible", analysis.largest_entropy),
        ("square", analysis.mean_off_diagonal),
        ("patterns", analysis.mix_with_residual),
        ("matrix", analysis.numerical_rank),
        ("matrix", analysis.singular_values),
        ("ids", lambda ids: analysis.one_hot(ids, 3)),
        ("vectors", analysis.principal_plane),
        ("logits", lambda logits: analysis.rank_of(logits, 0)),
        ("logits", analysis.top_tokens),
        ("before", lambda before: analysis.relative_change(before, MATRIX)),
        ("after", lambda after: analysis.relative_change(MATRIX, after)),
        ("values", analysis.root_mean_square),
        ("dots", analysis.similarity_by_distance),
        ("dots", lambda dots: analysis.self_matches(dots, np.ones((2, 2), bool))),
        ("scores", analysis.softmax),
        ("scores", analysis.softmax_steps),
        ("weights", language.strongest_heads),
        ("vectors", lambda vectors: language.compare_contexts(vectors, "a", [CONTEXTS])),
    ],
)
def test_numbers_are_required(name, measure, value):
    with refuses(rf"{name}=.* is invalid: allowed are numbers of shape"):
        measure(value)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: analysis.cosines(MATRIX, MATRIX[:, :2]), "rows of 3 and 2 features are invalid"),
        (lambda: analysis.cosines_by_group(MATRIX, [0]), "1 groups do not fit 2 rows"),
        (lambda: analysis.cosines_by_group(MATRIX, None), "groups=None is invalid: allowed are lists"),
        (lambda: analysis.entropy(MATRIX), "a weight of -2 is invalid: allowed are weights from 0"),
        (lambda: analysis.mix_with_residual(-np.ones((1, 2, 2))), "a weight of -1 is invalid: allowed are weights"),
        (lambda: analysis.largest_entropy(MATRIX), "visible=.* is invalid: allowed are boolean arrays"),
        (lambda: analysis.rollout(TRACE, 2), "sentence=2 is invalid: allowed are 0 to 1"),
        (lambda: analysis.rollout(TRACE, allow_unchained=1), "allow_unchained=1 is invalid: allowed are True, False"),
        (lambda: analysis.mean_off_diagonal(MATRIX), r"square: shape=\(2, 3\) is invalid: allowed are square matrices"),
        (lambda: analysis.similarity_by_distance(MATRIX), "dots: .* allowed are square matrices"),
        (lambda: analysis.self_matches(np.eye(3), np.ones((3, 3))), "visible=.* allowed are boolean arrays of shape"),
        (
            lambda: analysis.mix_with_residual(MATRIX),
            r"patterns: shape=\(2, 3\) is invalid: allowed are numbers of shape \(\*lead, head",
        ),
        (lambda: analysis.numerical_rank(np.full((2, 2), np.nan)), "the matrix contains values that are not finite"),
        (lambda: analysis.singular_values(np.full((2, 2), np.inf)), "the matrix contains values that are not finite"),
        (lambda: analysis.one_hot(np.array([0, 3]), 3), "ids=.* is invalid: allowed are whole numbers from 0 to 2"),
        (lambda: analysis.one_hot(np.array([-1]), 3), "ids=.* is invalid: allowed are whole numbers from 0 to 2"),
        (lambda: analysis.one_hot(np.array([0.5]), 3), "ids=.* is invalid: allowed are whole numbers"),
        (lambda: analysis.one_hot(np.array([0]), 0), "vocab_size=0 is invalid: allowed are whole numbers from 1"),
        (
            lambda: analysis.principal_plane(np.full((1, 2, 3), np.nan)),
            "the vectors contain values that are not finite",
        ),
        (lambda: PLANE.place([[0, 1]]), r"vectors: shape=\(1, 2\) is invalid: allowed are rows of width 3"),
        (lambda: PLANE.direction("up"), "steps='up' is invalid: allowed are numbers of shape"),
        (lambda: analysis.rank_of(MATRIX, 3), "token_id=3 is invalid: allowed are 0 to 2"),
        (lambda: analysis.rank_of(MATRIX, -1), "token_id=-1 is invalid: allowed are 0 to 2"),
        (lambda: analysis.rank_of(MATRIX, None), "token_id=None is invalid: allowed are 0 to 2"),
        (lambda: analysis.top_tokens(MATRIX * np.nan), "logits=.* is invalid: allowed are numbers below infinity"),
        (
            lambda: analysis.top_tokens([np.inf, 0]),
            r"logits=.*inf.* is invalid: allowed are numbers below",
        ),
        (lambda: analysis.rank_of([np.inf, 0], 1), "logits=.* is invalid: allowed are numbers below infinity"),
        (lambda: analysis.relative_change(MATRIX, MATRIX.T), r"shapes \(2, 3\) and \(3, 2\) are invalid"),
        (lambda: analysis.root_mean_square(np.zeros(0)), "values=.* is invalid: allowed are at least one number"),
        (lambda: analysis.softmax(np.zeros((2, 0))), r"scores: shape=\(2, 0\) is invalid"),
        (lambda: analysis.softmax_steps(MATRIX, 0), "temperature=0 is invalid: allowed are numbers from 1e-12 to 1e"),
        (lambda: analysis.softmax_steps(MATRIX, -1.0), "temperature=-1.0 is invalid"),
        (lambda: analysis.softmax_steps(MATRIX, float("nan")), "temperature=nan is invalid"),
        (lambda: analysis.residual_change(None, TRACE), "before=None is invalid: allowed are traces"),
        (lambda: analysis.residual_change(TRACE, RUN), "after=.* is invalid: allowed are traces"),
        (lambda: analysis.residual_stream(TRACE, np.ones((2, 4), bool)), "sentence=.* is invalid: allowed are 0 to 1"),
        (lambda: analysis.residual_stream(TRACE, allow_unchained="no"), "allow_unchained='no' is invalid"),
        (lambda: analysis.residual_step(RUN, True, 0), "stage=True is invalid: allowed are whole numbers from 1"),
        (lambda: analysis.residual_step(RUN, None, 0), "stage=None is invalid"),
        (lambda: analysis.residual_step(RUN, 5, 0), "stage=5 is invalid: allowed are 1 to 4"),
        (lambda: analysis.stage_vectors(TRACE, "input"), "stage='input' is invalid: allowed are the stages of"),
    ],
)
def test_values_that_have_no_measure(measure, message):
    with refuses(message):
        measure()


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("rows", lambda rows: analysis.cosines(rows, MATRIX)),
        ("others", lambda others: analysis.cosines(MATRIX, others)),
        ("rows", lambda rows: analysis.cosines_by_group(rows, [0, 1])),
        ("weights", analysis.entropy),
        ("values", analysis.root_mean_square),
        ("before", lambda before: analysis.relative_change(before, MATRIX)),
        ("after", lambda after: analysis.relative_change(MATRIX, after)),
        ("square", lambda rows: analysis.mean_off_diagonal(rows[:, :2])),
        ("dots", lambda rows: analysis.similarity_by_distance(rows[:, :2])),
        ("dots", lambda rows: analysis.self_matches(rows[:, :2], np.ones((2, 2), bool))),
        ("patterns", lambda rows: analysis.mix_with_residual(rows[None, :, :2])),
        ("patterns", lambda rows: analysis.rollout(with_pattern(np.resize(rows, (2, 2, 4, 4))))),
        ("weights", lambda rows: language.strongest_heads(rows[None])),
        ("vectors", lambda rows: language.compare_contexts(np.resize(rows, VECTORS.shape), "a", [CONTEXTS])),
    ],
)
def test_numbers_are_finite(name, measure, number):
    rows = np.abs(MATRIX)
    rows[0, 1] = number
    with refuses(f"{name}: values that are not finite are invalid: allowed are finite numbers"):
        measure(rows)


def with_pattern(pattern):
    return TRACE._replace(layers=tuple(layer._replace(pattern=pattern) for layer in TRACE.layers))


def from_ids():
    return ENCODER.trace(np.array([[2, 3]]))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: language.is_punctuation(None), "token=None is invalid: allowed are strings"),
        (lambda: language.word_mask("abc", np.ones(3, bool)), "tokens='abc' is invalid: allowed are lists of tokens"),
        (
            lambda: language.word_mask(["a", "b"], np.ones(3, bool)),
            r"real=.* allowed are boolean arrays of shape \(2,\)",
        ),
        (lambda: language.word_mask(["a", "b"], [1, 0]), r"real=\[1, 0\] is invalid: allowed are boolean arrays"),
        (lambda: language.role_keys(["a"], True), "real=True is invalid: allowed are boolean arrays"),
        (lambda: language.role_keys(None, np.ones(2, bool)), "tokens=None is invalid: allowed are lists of tokens"),
        (lambda: language.pair_kinds("abc"), "tokens='abc' is invalid: allowed are lists of tokens"),
        (lambda: language.pair_kinds([]), r"tokens=\[\] is invalid: allowed are lists of tokens, with at least 1"),
        (lambda: language.special_tokens_and_query(["a"], 1), "query=1 is invalid: allowed are 0 to 0"),
        (lambda: language.special_tokens_and_query(["a"], None), "query=None is invalid: allowed are 0 to 0"),
        (lambda: language.shared_words("ab"), "sentences='ab' is invalid: allowed are traces of texts, and batches"),
        (lambda: language.shared_words(TRACE.tokens), "sentences=.* is invalid: allowed are traces of texts"),
        (lambda: language.shared_words(from_ids()), "the trace has no tokens: its input must be text"),
        (lambda: language.sentence_vectors(TRACE, allow_padding=1), "allow_padding=1 is invalid: allowed are True"),
        (
            lambda: language.same_word_similarity(TRACE, 0, (1, 1)),
            "first=0 is invalid: allowed are pairs of a sentence",
        ),
        (lambda: language.same_word_similarity(TRACE, (0, 0), "ab"), "second='ab' is invalid: allowed are pairs"),
        (lambda: language.different_words_similarity(TRACE, 0, (1, 0)), "first=0 is invalid: allowed are pairs of a"),
        (
            lambda: language.different_words_similarity(TRACE, (0, 0), (2, 0)),
            "sentence of second=2 is invalid: allowed are 0 to 1",
        ),
        (
            lambda: language.same_word_similarity(TRACE, (0, -1), (1, 0)),
            "token of first=-1 is invalid: allowed are 0 to 3",
        ),
        (
            lambda: language.different_words_similarity(from_ids(), (0, 0), (0, 1)),
            "the trace has no tokens: its input must be text",
        ),
        (lambda: language.strongest_heads(WEIGHTS, excluded=None), "excluded=None is invalid: allowed are collections"),
        (lambda: language.strongest_heads(WEIGHTS, excluded=["a"]), r"excluded\[0\]='a' is invalid"),
        *(
            (lambda keys=keys: language.strongest_heads(WEIGHTS, excluded=keys), rf"excluded\[0\]={keys[0]} is invalid")
            for keys in ([-1], [True], [4])
        ),
        (
            lambda: language.strongest_heads(WEIGHTS[0]),
            r"weights: shape=\(2, 4\) is invalid: allowed are numbers of shape",
        ),
        (
            lambda: language.head_pairs(PAIRS, 0, 0),
            "sources.*is invalid: allowed (are|for sources are) lists of the results of `pair_weights`",
        ),
        (lambda: language.head_pairs([], 0, 0), r"sources=\[\] is invalid: allowed are lists .* with at least 1"),
        (lambda: language.head_pairs([PAIRS], -1, 0), "layer=-1 is invalid: allowed are 0 to 1"),
        (lambda: language.head_pairs([PAIRS], 0, 2), "head=2 is invalid: allowed are 0 to 1"),
        (lambda: language.head_pairs([PAIRS], 0, 0, count=None), "count=None is invalid: allowed are whole numbers"),
        (lambda: language.compare_contexts(VECTORS, None, [CONTEXTS]), "token=None is invalid: allowed are strings"),
        (lambda: language.compare_contexts(VECTORS, "a", []), "sources=.* with at least 1"),
        (lambda: language.compare_contexts(VECTORS, "a", [PAIRS]), r"sources\[0\]=.* results of `context_vectors`"),
        (lambda: language.compare_contexts(VECTORS[:2], "a", [CONTEXTS]), r"vectors: shape=\(2, 8\) is invalid"),
        (lambda: language.compare_contexts(VECTORS, "a", [CONTEXTS], excluded="a"), "excluded='a' is invalid"),
        (lambda: language.nearest_contexts(COMPARISON, -1), "stage=-1 is invalid: allowed are 0 to 2"),
        (
            lambda: language.nearest_contexts(COMPARISON, 0, count=0),
            "count=0 is invalid: allowed are whole numbers from 1",
        ),
        (lambda: language.nearest_contexts(None, 0), "comparison=None is invalid: allowed are results of"),
        (lambda: language.same_word_shares(MATRIX), "comparison=.* is invalid: allowed are results of"),
    ],
)
def test_arguments_of_language_measures(measure, message):
    with refuses(message):
        measure()


@pytest.mark.parametrize(
    ("tensor", "layer", "message"),
    [
        ("hidden", None, "tensor='hidden' is invalid: allowed are 'embedded', 'output'"),
        ("tokens", None, "tensor='tokens' is invalid: allowed are 'embedded', 'output'"),
        (3, None, "tensor=3 is invalid: allowed are 'embedded', 'output'"),
        ("q", 0, "tensor='q' is invalid: allowed are 'mlp_in', 'resid_mid', 'resid_post'"),
        ("output", 0, "tensor='output' is invalid: allowed are 'mlp_in', 'resid_mid', 'resid_post'"),
        ("resid_post", "first", "layer='first' is invalid: allowed are 0 to 1"),
    ],
)
def test_a_stage_is_one_of_the_trace(tensor, layer, message):
    with refuses(message):
        analysis.stage_vectors(TRACE, analysis.ResidualStage("x", tensor, layer))


def test_patterns_are_square():
    with refuses(r"patterns: shape=\(1, 1, 2, 3\) is invalid: allowed are square matrices"):
        analysis.mix_with_residual(np.ones((1, 1, 2, 3)))


@pytest.mark.parametrize(
    "measure",
    [
        analysis.residual_stream,
        analysis.rollout,
        lambda trace, **options: analysis.residual_change(trace, trace, **options),
        lambda trace, **options: language.same_word_similarity(trace, (0, 0), (1, 1), **options),
        lambda trace, **options: language.different_words_similarity(trace, (0, 0), (1, 1), **options),
    ],
)
def test_layers_that_are_not_chained(measure):
    unchained = ENCODER.with_config(replace(CONFIG, attention_read_out="input")).trace(TOKENS, "padding")
    with refuses('a trace of attention_read_out="input" is invalid: .*allow_unchained=True'):
        measure(unchained)
    assert np.isfinite(measure(unchained, allow_unchained=True)).all()
    first_changes_nothing = TRACE._replace(embedded=TRACE.layers[0].resid_post)
    assert np.isfinite(measure(first_changes_nothing)).all()


def test_traces_of_different_vocabularies_are_not_compared():
    """Without a tokenizer, the words of both texts get the ids 2, 3 and 4."""
    one, other, repeated = map(ENCODER.trace, ("The black cat", "A white dog", "the black the"))
    np.testing.assert_array_equal(one.output, other.output)
    with refuses(r"'The' and 'A' have the id 2\. Allowed are .*tokenizer=WordTokenizer\.from_texts\(texts\)"):
        analysis.residual_change(one, other)
    with refuses("'c' has the ids 4 and 3"):
        analysis.residual_change(*map(ENCODER.trace, ("a b c", "a a c")))
    assert analysis.residual_change(one, repeated)[0].tolist()[:2] == [0, 0]  # "The" and "the" can be one token
    together = Encoder.random(CONFIG, tokenizer=WordTokenizer(["black", "cat", "white"]))
    change = analysis.residual_change(*map(together.trace, ("The black cat", "A white cat")))
    assert (change[0] > 0).tolist() == [False, True, False]  # the first words are both unknown
    with refuses("'cat' has the ids 1 and 2"):  # unknown in one of the vocabularies
        vocabularies = (WordTokenizer(["the"]), WordTokenizer(["cat"]))
        analysis.residual_change(*(Encoder.random(CONFIG, tokenizer=each).trace("cat") for each in vocabularies))
    edited = ENCODER.trace("The black cat", edits=[ReplaceToken(0, 0, 4), ReplaceToken(0, 1, 9)])
    assert (analysis.residual_change(one, edited)[0] > 0).tolist() == [True, True, False]


def test_rows_and_groups_that_do_not_fit():
    with refuses(r"rows of shape \(2, 3, 4\) and others of shape \(5, 3, 4\) are invalid: allowed are equal leading"):
        analysis.cosines(np.ones((2, 3, 4)), np.ones((5, 3, 4)))
    assert analysis.cosines(np.ones((2, 3, 4)), np.ones((5, 4))).shape == (2, 3, 5)
    for groups in ([[1], [2]], [{}, {}], np.ones((2, 2)), [([],), ([],)]):
        with refuses("groups=.* is invalid: allowed are lists of one group for each row"):
            analysis.cosines_by_group(MATRIX, groups)
