"""Questions: every wrong option is explained, and the right one is right, in models of many kinds.

The answers are recomputed by other means than those of the questions: mostly by another forward pass.
"""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.inspect.questions import (
    Question,
    WrongOption,
    largest_value_question,
    rank_distinct,
    without_duplicates,
)
from dashboard.lessons import map as map_lesson
from dashboard.lessons.attention.multi_head import parameter_question
from dashboard.lessons.attention.qkv import one_matrix_question
from dashboard.lessons.attention.scaled_scores import longer_query_question
from dashboard.lessons.attention.softmax import weight_question
from dashboard.lessons.attention.weighted_values import contribution_question
from dashboard.lessons.embedding.lookup import lookup_question
from dashboard.lessons.full_stack.attention import attention_questions as attention
from dashboard.lessons.full_stack.vectors import vector_questions as vectors
from dashboard.lessons.full_stack.vectors.reach_question import reach_question
from dashboard.lessons.full_stack.view import depth_question
from dashboard.lessons.map import output_group
from dashboard.lessons.positions.similarity import distance_question
from dashboard.lessons.recipes.models import recipe_settings
from dashboard.lessons.recipes.questions import recipe_question
from dashboard.lessons.sublayers.add_and_norm import scaling_question
from dashboard.lessons.sublayers.feed_forward import row_replacement_question
from dashboard.models.model import model_for
from dashboard.models.story import SENTENCE
from dashboard.models.variants import with_edits
from dashboard.page_list import stage_named
from dashboard.selection.focus import Focus
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import RECIPES, Dropout, Encoder, HeadFactor, HideToken, SetScore
from encoder_core.analysis import cosines, numerical_rank, softmax
from encoder_core.explain.sublayers import add_and_norm
from tests.pages.app import opened, rendered

WRONG = WrongOption("no", "Because.", "it")
SAME = {"text": "a a a", "positions": "none"}  # all tokens of the sentence are the same vector
TWO = "The black cat sleeps\nIt rains on the black street again"
MODELS = {
    "default": {},
    "one token": {"text": "word"},
    "one token, one head, one layer": {"text": "a", "heads": 1, "layers": 1, "d_model": 4},
    "one head": {"heads": 1},
    "one layer": {"layers": 1},
    "equal tokens": SAME,
    "equal tokens, causal": SAME | {"mask": "causal"},
    "two sentences": {"text": TWO},
    "identical sentences": {"text": "one two three\none two three"},
    "padding is visible": {"text": TWO, "mask": "none"},
    "causal": {"mask": "causal"},
    "causal and padding": {"text": TWO, "mask": "both"},
    "pre-norm": {"norm": "pre"},
    "pre-norm, causal": {"norm": "pre", "mask": "causal"},
    "no biases": {"bias": False},
    "no positions": {"positions": "none"},
    "no positions, causal": {"positions": "none", "mask": "causal"},
    "learned positions": {"positions": "learned"},
    "concatenated": {"positions": "concatenated", "d_model": 60, "heads": 6},
    "unscaled": {"scaled": False},
    "gelu": {"activation": "gelu", "d_ff": 8},
    "narrow": {"d_model": 4, "heads": 4, "d_ff": 8},
    "deep": {"layers": 12, "d_model": 16},
    "many heads": {"heads": 16},
    "small embeddings": {"scale": "inv_sqrt_d"},
    "palindrome": {"text": "one two one"},
    "repeat": {"encoder": "repeat"},
    "words": {"encoder": "words", "text": "The cat drinks [MASK]."},
    "reverse": {"encoder": "reverse", "input": "abc"},
    **{name: {"encoder": name} for name in RECIPES},
    "nnx as written": {"encoder": "nnx", "variant": "as written"},
    "article as written": {"encoder": "article", "variant": "as written"},
}
EDITED = {
    "a head off": [HeadFactor(0, 0, 0.0)],
    "a score": [SetScore(0, 0, 0, 1, 2, -5.0)],
    "dropout": [Dropout(0)],
}


def model_of(**choices):
    """A model of the story's sentence, or with these settings."""
    return model_for(Settings.from_state(DEFAULTS | {"text": SENTENCE} | choices))


def focus(model, layer=0, head=0, token=1, key_token=2, sentence=0):
    labels = model.batch.tokens[sentence]
    last = len(labels) - 1
    layer, head = min(layer, model.config.num_layers - 1), min(head, model.config.num_heads - 1)
    return Focus(sentence, layer, head, min(token, last), min(key_token, last), labels)


def all_questions(model, at):
    """The questions of all stages and of most views, in this model."""
    config, trace = model.config, model.trace
    layer, (batch, seq) = trace.layers[at.layer], model.batch.ids.shape
    place = (at.sentence, at.head, at.token)
    tensors = add_and_norm(model.run, at.layer, "norm1").for_sentence(at.sentence)
    yield map_lesson.length_question(config, seq, batch)
    yield lookup_question(model, at)
    yield distance_question(model, at, model.positions, model.position_encoding(model.positions, config.max_len))
    yield one_matrix_question(model, at, layer.q)
    yield longer_query_question(at, layer.scores[place], layer.dot_products[place], model.run.score_scale)
    yield weight_question(at, layer.scores[place], 0.5)
    factor = float(model.run.head_factors(at.layer)[at.head])
    yield contribution_question(at, layer.pattern[place], layer.v[at.sentence, at.head, :, 0], factor, 0)
    yield parameter_question(config, seq)
    yield scaling_question(model, at, "norm1", tensors)
    yield row_replacement_question(model, at, layer.mlp_in[at.sentence])
    yield attention.switched_off_question(model, at)
    yield attention.average_question(model, at)
    yield attention.masked_key_question(model, at)
    yield attention.importance_question(model, at, "the next token", 0.5, 0.1)
    yield attention.flatter_head_question(at)
    yield vectors.empty_layer_question(model, at)
    yield vectors.common_vector_question(
        trace.output[at.sentence] if config.final_norm else trace.layers[-1].resid_post[at.sentence]
    )
    yield vectors.first_input_question(model, at.labels[at.token], (at.sentence, at.token), (at.sentence, at.key_token))
    yield vectors.layer_0_question(model, at.labels[at.token])
    yield vectors.reversed_sentence_question(model, at)
    yield reach_question(model, at)
    yield depth_question(model)


def right_index(question):
    return question.options.index(question.right)


@pytest.mark.parametrize("choices", MODELS.values(), ids=MODELS)
def test_every_question_can_be_asked(unchecked, choices):
    """It has one right option, and `Question` checks that the others differ and are explained."""
    model = model_of(**choices)
    for token, key in ((0, 0), (1, 2), (99, 0)):
        at = focus(model, layer=1, head=1, token=token, key_token=key, sentence=len(model.batch.tokens) - 1)
        for question in all_questions(model, at):
            assert question.options.count(question.right) == 1
            for option in question.options:
                assert (question.explain(option) == "") == (option == question.right)
                assert option == question.right or question.explain(option).count(" Look at ") == 1
            texts = " ".join([question.text, question.why, *question.options])
            assert "nan" not in texts.replace("nanolm", "")


@pytest.mark.parametrize("edits", EDITED.values(), ids=EDITED)
def test_questions_with_edits(unchecked, edits):
    choices = {"encoder": "nanolm"} if isinstance(edits[0], Dropout) else {}
    model = with_edits(model_of(**choices), tuple(edits))
    assert model.edits
    assert all(list(all_questions(model, focus(model))))


def test_a_score_set_by_hand_does_not_grow_with_its_query(unchecked):
    model = with_edits(model_of(), (SetScore(0, 0, 0, 1, 2, 500.0), SetScore(0, 0, 0, 1, 3, -7.0)))
    at, layer = focus(model), model.trace.layers[0]
    row, dots, scale = layer.scores[0, 0, 1], layer.dot_products[0, 0, 1].copy(), model.run.score_scale
    dots[2] = 1e3  # the largest, but no part of its score
    question = longer_query_question(at, row, dots, scale, [2, 3])
    assert question.right == "each visible score is doubled, except those set by hand"
    assert f"“{at.labels[2]}”" not in question.why
    all_set = longer_query_question(at, row, dots, scale, range(len(row)))
    assert all_set.right == "nothing"
    assert longer_query_question(at, row, dots, scale).right == "each visible score is doubled"


def test_the_page_of_scores_knows_which_are_set_by_hand(framed):
    at = opened(stage_named("scaled_scores"), token="3", edits="score.0.0.0.2.3=500")
    assert any(text == "each visible score is doubled, except those set by hand" for text in rendered(at))


@pytest.mark.parametrize(("temperature", "power"), [(1.0, "e¹⁰"), (0.5, "e^(10 / T)")])
def test_a_shift_of_all_scores_at_a_temperature(temperature, power):
    """exp((s + 10) / T) is e^(10 / T) times exp(s / T)."""
    question = weight_question(focus(model_of()), np.array([2.0, -np.inf, -np.inf]), temperature)
    (option,) = [option for option in question.options if "multiplied" in option]
    assert option == f"it is multiplied by {power}"
    assert f"their sum, which is multiplied by {power} as well" in question.explain(option)


def changed_layers(model, at):
    """The layers whose attention weights change without the head."""
    other = model.trace_with(HeadFactor(at.layer, at.head, 0.0))
    pairs = zip(model.trace.layers, other.layers, strict=True)
    return [index for index, (a, b) in enumerate(pairs) if np.abs(a.pattern - b.pattern)[at.sentence].max() > 1e-6]


@pytest.mark.parametrize("choices", MODELS.values(), ids=MODELS)
def test_weights_without_a_head(unchecked, choices):
    model = model_of(**choices)
    for layer in (0, 99):
        at = focus(model, layer=layer)
        question = attention.switched_off_question(model, at)
        changed = changed_layers(model, at)
        if question != depth_question(model):
            assert question.right.startswith("those of all heads in later" if changed else "none")
        assert all(index > at.layer for index in changed)


@pytest.mark.parametrize("choices", MODELS.values(), ids=MODELS)
def test_the_average_of_the_heads(unchecked, choices):
    model = model_of(**choices)
    at = focus(model, layer=1)
    question, patterns = attention.average_question(model, at), model.trace.layers[at.layer].pattern[at.sentence]
    if question != depth_question(model):
        assert (question.right == "nothing") == bool(np.ptp(patterns, axis=0).max() < 1e-4)


@pytest.mark.parametrize("name", ["default", "two sentences", "causal", "no positions, causal", "words", "pre-norm"])
def test_a_masked_key_gives_its_weight_to_the_others(unchecked, name):
    model = model_of(**MODELS[name])
    at = focus(model, token=2, key_token=1)
    question = attention.masked_key_question(model, at)
    assert question.right == "the other visible keys get it, in proportion to their weights"
    cell = (at.sentence, at.layer, at.head, at.token, at.key_token)
    before, after = (
        trace.layers[at.layer].pattern[at.sentence, at.head, at.token]
        for trace in (model.trace, model.trace_with(SetScore(*cell, -1e4)))
    )
    expected = before / (1 - before[at.key_token])
    expected[at.key_token] = 0
    np.testing.assert_allclose(after, expected, atol=1e-5)


@pytest.mark.parametrize("weight", [0.0013, 0.019, 0.9815, 0.9985])
def test_nobody_is_asked_about_a_weight_that_changes_no_digit(unchecked, weight):
    model = model_of(**MODELS["default"])
    at = focus(model, token=2, key_token=1)
    place = (at.sentence, at.layer, at.head, at.token)
    row = model.trace.layers[at.layer].scores[at.sentence, at.head, at.token].astype(float)
    others = np.log(np.exp(np.delete(row, 1)).sum())
    edited = with_edits(model, (SetScore(*place, 1, float(others + np.log(weight / (1 - weight)))),))
    changed = edited.trace.layers[at.layer].pattern[at.sentence, at.head, at.token, 1]
    np.testing.assert_allclose(changed, weight, rtol=1e-4)
    assert attention.masked_key_question(edited, at) == depth_question(edited)


def with_parameters(model, **changes):
    """The model with some parameters replaced."""
    parameters = model.encoder.parameters() | changes
    return replace(model, encoder=Encoder.from_parameters(model.config, parameters))


@pytest.mark.parametrize("name", ["default", "two sentences", "no biases", "unscaled", "pre-norm"])
def test_keys_and_queries_of_other_matrices(unchecked, name):
    model, prefix = model_of(**MODELS[name]), "layers.0.attention"
    at, own = focus(model), model.encoder.parameters()
    kinds = [kind for kind in ("kernel", "bias") if f"{prefix}.query.{kind}" in own]
    shared = with_parameters(model, **{f"{prefix}.key.{kind}": own[f"{prefix}.query.{kind}"] for kind in kinds})
    products = shared.trace.layers[0].dot_products[0, 0]
    question = one_matrix_question(model, at, model.trace.layers[0].q)
    assert question.right == "they would be equal"
    assert products[1, 2] == pytest.approx(products[2, 1], rel=1e-5)
    assert f"{products[1, 2]:.3g}".replace("-", "−") in question.why

    longer = with_parameters(model, **{f"{prefix}.query.{kind}": 2 * own[f"{prefix}.query.{kind}"] for kind in kinds})
    before, after = (x.trace.layers[0].scores[0, 0, 1] for x in (model, longer))
    np.testing.assert_allclose(after, 2 * before, rtol=1e-4)
    products = model.trace.layers[0].dot_products[0, 0, 1]
    assert longer_query_question(at, before, products, model.run.score_scale).right == "each visible score is doubled"


@pytest.mark.parametrize(
    "name", ["default", "one token", "pre-norm", "no biases", "words", "nanolm", "small embeddings"]
)
def test_a_layer_without_sublayers(unchecked, name):
    model = model_of(**MODELS[name])
    at, parameters = focus(model, layer=1), model.encoder.parameters()
    names = [f"layers.1.{part}.{kind}" for part in ("attention.out", "mlp.down") for kind in ("kernel", "bias")]
    empty = with_parameters(model, **{name: np.zeros_like(parameters[name]) for name in names if name in parameters})
    layer, (sentence, token) = empty.trace.layers[1], (at.sentence, at.token)
    unchanged = np.allclose(layer.resid_post[sentence, token], layer.resid_pre[sentence, token], atol=1e-6)
    right = vectors.empty_layer_question(model, at).right
    assert right == ("its input, unchanged" if model.config.norm == "pre" else "its input after the two norms")
    assert model.config.norm != "pre" or unchanged


def reversed_batch(model):
    return model.batch._replace(ids=model.batch.ids[:, ::-1].copy())


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("default", "it can change: the outputs depend on the order"),
        ("no positions", "it stays: a mean does not depend on the order"),
        ("no positions, causal", "it can change: the outputs depend on the order"),
        ("learned positions", "it can change: the outputs depend on the order"),
    ],
)
def test_reversed_words(unchecked, name, right):
    model = model_of(**MODELS[name])
    assert vectors.reversed_sentence_question(model, focus(model)).right == right
    backwards = model.encoder.trace(reversed_batch(model), model.mask)
    change = np.abs(backwards.output.mean(axis=1) - model.trace.output.mean(axis=1)).max()
    assert (change < 1e-5) == right.startswith("it stays")


def test_a_score_that_is_set_stays_where_it_is_when_the_words_change_places(unchecked):
    model = with_edits(model_of(text="Hi there you", positions="none"), (SetScore(0, 0, 0, 0, 2, 5.0),))
    backwards = model.encoder.trace(reversed_batch(model), model.mask, model.edits)
    assert np.abs(backwards.output.mean(axis=1) - model.trace.output.mean(axis=1)).max() > 1e-3
    assert vectors.reversed_sentence_question(model, focus(model)) == depth_question(model)


def test_a_common_vector_by_hand():
    """Orthogonal unit vectors plus 10 (1, 1) / √2: the cosine of (8.07, 7.07) and (7.07, 8.07) is 0.991."""
    rows = np.eye(2, dtype=np.float32)
    common = rows + 10 / np.sqrt(2)
    assert cosines(common, common)[0, 1] == pytest.approx(0.9913, abs=1e-4)
    question = vectors.common_vector_question(rows)
    assert question.right == "it rises"
    assert "from 0 to 0.991" in question.why
    assert vectors.common_vector_question(rows[:1]).right == "nothing"  # one token has no other
    assert vectors.common_vector_question(np.ones((3, 4), np.float32)).right == "nothing"  # already 1


@pytest.mark.parametrize(
    ("first", "second", "positions", "right"),
    [
        ((0, 1), (1, 4), "sinusoidal", "they differ by their positions only"),
        ((0, 1), (1, 4), "none", "they are equal"),
        ((0, 0), (1, 0), "sinusoidal", "they are equal"),
    ],
)
def test_a_word_before_the_first_layer(unchecked, first, second, positions, right):
    model = model_of(text="The black cat sleeps\nThe rain falls on black streets", positions=positions)
    assert model.batch.tokens[0][first[1]] == model.batch.tokens[1][second[1]]
    question = vectors.first_input_question(model, model.batch.tokens[0][first[1]], first, second)
    assert question.right == right


def test_the_length_of_the_text_by_hand():
    """d_model 4, d_ff 8, one layer, 3 tokens: 3 (4 · 2 · 16 + 2 · 2 · 32) + 2 · 2 · 9 · 4 = 912; 6 tokens: 2112."""
    config = replace(model_of().config, d_model=4, num_heads=1, d_ff=8, num_layers=1)
    question = map_lesson.length_question(config, 3)
    assert question.right == "the same parameters, more than twice the FLOPs"
    assert "from 912 " in question.why
    assert "to 2.11 k" in question.why


@pytest.mark.parametrize(
    ("positions", "seq", "aside"), [("learned", 6, True), ("learned", 5, False), ("none", 6, False)]
)
def test_a_text_longer_than_the_table_of_positions(positions, seq, aside):
    """Learned positions beyond the last row do not exist: a longer text would need more parameters."""
    config = replace(model_of().config, positions=positions, max_len=10)
    text = map_lesson.length_question(config, seq).text
    assert ("(leave aside the table of positions, which has only 10 rows here), and" in text) == aside


@pytest.mark.parametrize("name", RECIPES)
def test_recipes(unchecked, name):
    question = recipe_question(name, 0)
    recipe = RECIPES[name]
    written = model_for(recipe_settings(name, "as written", 0))
    match name:
        case "nnx":
            parameters = written.encoder.parameters()
            product = parameters["layers.0.mlp.up.kernel"] @ parameters["layers.0.mlp.down.kernel"]
            assert question.right == "no more than one linear layer of {} × {}".format(*product.shape)
        case "haiku":
            assert question.right == "zeros"
            assert not written.trace.position_encoding.any()
        case "nanolm":
            ranks = [numerical_rank(matrix) for matrix in written.trace.layers[0].dot_products[0]]
            assert question.right == str(max(ranks)) == "4"
        case "annotated":
            sizes = [np.abs(x).mean() for x in (written.trace.scaled_embedding, written.trace.position_encoding)]
            assert question.right == "the positions"
            assert sizes[1] > 5 * sizes[0]
        case "article":
            rows = Encoder.recipe(name, "as written").position_encoding(recipe.example.seq)
            assert question.right == "no"
            assert f"{rows[0] @ rows[2]:.2f}" in question.why
            assert f"{rows[4] @ rows[6]:.2f}" in question.why
            assert rows[0] @ rows[2] != pytest.approx(rows[4] @ rows[6], rel=1e-4)


def without_last_layer(model):
    """The logits of the first sentence in a model that has one layer less."""
    config = replace(model.config, num_layers=model.config.num_layers - 1)
    last = f"layers.{config.num_layers}."
    parameters = {name: x for name, x in model.encoder.parameters().items() if not name.startswith(last)}
    return Encoder.from_parameters(config, parameters).trace(model.batch, model.mask).logits[0]


@pytest.mark.parametrize("token", [1, 3])
def test_the_logit_lens_is_a_model_without_its_last_layer(question_of, token):
    question = question_of("full_stack", encoder="reverse", token=str(token), view="Logit lens")
    model = model_of(encoder="reverse")
    assert question.right == f"“{model.vocabulary[int(without_last_layer(model)[token - 1].argmax())]}”"


def test_where_nothing_stands_out_before_the_last_layer_the_question_is_about_that(question_of):
    """“fish” with 3%, milk with 2.8%: nobody could tell. But that the last layer decides can be predicted."""
    text = "The cat drinks [MASK]."
    question = question_of("full_stack", encoder="words", text=text, token="4", view="Logit lens")
    model = model_of(encoder="words", text=text)
    before, after = (softmax(x[3]) for x in (without_last_layer(model), model.trace.logits[0]))
    guess = int(after.argmax())
    assert f"“{model.vocabulary[guess]}”, with a probability of {after[guess]:.2g}" in question.text
    assert before[guess] / after[guess] < 0.2
    assert question.right == "less than 20% of that"
    assert f"{before[guess]:.2g}" in question.why
    assert question.options == ("less than 20% of that", "20% to 80% of that", "more than 80% of that")


def test_a_masked_token_changes_its_own_output(question_of):
    question = question_of("full_stack", view="Ablation", token="4")
    model = model_of()
    mask = np.broadcast_to(model.trace.mask, (1, 4, *model.trace.mask.shape[2:])).copy()
    mask[..., 3] = False
    change = np.linalg.norm(model.encoder.trace(model.batch, mask).output[0, 3] - model.trace.output[0, 3])
    assert question.right == "it changes"
    assert f"By {change:.3g}" in question.why


def test_a_key_with_a_score_set_by_hand_cannot_be_hidden(question_of):
    """With its score set, the first token attends to the third in every ablation, also in the one that hides it."""
    link = {"view": "Ablation", "text": "Hi there you", "layers": "2", "heads": "2", "edits": "score.0.0.0.0.2=5"}
    assert question_of("full_stack", **link, token="2").right == "it changes"
    assert "as key" not in question_of("full_stack", **link, token="3").text
    for edits, exception in ((link["edits"], True), ("score.0.0.0.0.2=5~hide.0.2", True), ("head.0.0=0", False)):
        at = opened(stage_named("full_stack"), **link | {"edits": edits})
        (text,) = [text for text in rendered(at) if "one token is hidden as key" in text]
        assert text.endswith("not even itself, except where you set its score." if exception else "not even itself.")
    model = with_edits(model_of(text="Hi there you", layers=2, heads=2), (SetScore(0, 0, 0, 0, 2, 5.0),))
    assert model.trace_with(HideToken(0, 2)).layers[0].pattern[0, 0, 0, 2] > 0.9


def test_equal_scores_and_values(question_of):
    assert question_of("softmax", **SAME).right == "nothing"
    assert question_of("weighted_values", **SAME).right == "nothing"
    assert question_of("weighted_values", text="a").right == "the value row of “a”"


def test_the_last_token_under_a_causal_mask(question_of):
    """Only the token itself attends to it, so an option about tokens that may attend to it would be right as well."""
    question = question_of("feed_forward", mask="causal", token="16")
    assert question.right == "only the same row"
    assert not any("may attend" in option for option in question.options)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("yes", []),
        ("yes", [WrongOption("yes", "Because.", "it")]),
        ("yes", [WRONG, WRONG]),
        ("yes", [WrongOption("no", "", "it")]),
        ("yes", [WrongOption("no", "Because.", " ")]),
    ],
)
def test_a_question_with_an_unexplained_option_cannot_be_made(right, wrong):
    with pytest.raises(ValueError, match="invalid"):
        Question("what?", right, "So it is.", wrong)


def test_places_of_the_right_option():
    places = {right_index(Question(f"what {number}?", "yes", "So.", [WRONG])) for number in range(20)}
    assert places == {0, 1}


def test_duplicates_are_left_out():
    options = [WRONG, WrongOption("yes", "Because.", "it"), WrongOption("no", "Another.", "it")]
    assert without_duplicates("yes", options) == [WRONG]


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([1.0, 3.0, 2.0], [1, 2, 0]),
        ([3.0, 3.0, 2.0], [0, 2]),  # the second ties with the largest
        ([3.0, 2.9999, 2.0], [0, 2]),  # so close that they tie
        ([-np.inf, -4.0, -5.0], [1, 2, 0]),
        ([-np.inf, -np.inf], []),
        ([0.0, 0.0], [0]),
        ([5.0], [0]),
    ],
)
def test_rank_distinct(values, places):
    assert rank_distinct(np.array(values)) == places


def test_values_that_tie_with_the_largest_are_not_options():
    fallback = Question("fallback", "yes", "So.", [WRONG])

    def explain(place):
        return WrongOption(str(place), f"It is {place}.", "it")

    question = largest_value_question("?", np.array([1.0, 7.0, 2.0, 7.0, 3.0]), str, explain, fallback)
    assert (question.right, set(question.options)) == ("1", {"1", "2", "4"})
    assert largest_value_question("?", np.ones(3), str, explain, fallback) is fallback
    assert largest_value_question("?", np.full(3, -np.inf), str, explain, fallback) is fallback


def test_the_stack_of_the_tutorial_gives_the_output_card_of_the_map():
    """If every layer attends to the embedded input, the last layer does not give the output."""
    model = model_for(recipe_settings("nnx", "as written", 0))
    (card,) = output_group(model, 0).cards
    assert card.title == "output"
    np.testing.assert_array_equal(card.values, model.trace.output[0])
    assert np.abs(card.values - model.trace.layers[-1].resid_post[0]).max() > 0.1


def test_tokens_that_are_the_same_word_have_their_numbers():
    labels = ("cat", "sat", "cat")
    question = weight_question(Focus(0, 0, 0, 1, 2, labels), np.array([3.0, 1.0, 2.0]), 1.0)
    assert "the score of token 1 “cat” is higher than that of token 3 “cat” by 1" in question.text
    question = weight_question(Focus(0, 0, 0, 1, 1, labels), np.array([3.0, 1.0, 2.0]), 1.0)
    assert "the score of “cat” is higher than that of “sat” by 2" in question.text
