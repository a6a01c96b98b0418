"""The depths of every page: numbers, formula, code of the engine, and a question with one right answer."""

import ast
import re
from collections import defaultdict
from copy import copy
from pathlib import Path

import numpy as np
import pytest

import encoder_core
from dashboard.inspect.depths import INSPECTED_CELL
from dashboard.page_list import STAGES, stage_named
from dashboard.state.choices import DETAILS
from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder, EncoderConfig, WordTokenizer
from tests.pages.app import derivations, opened, rendered, run

TOLERANCE = 1e-4  # as a fraction of the tensor's scale; norms of 4 dimensions are the least accurate
SENTENCES = DEFAULT_TEXT.splitlines()
VARIANTS = {
    "one token": {"text": "word", "d_model": "4", "heads": "1", "layers": "1"},
    "pre-norm, no biases": {"norm": "pre", "bias": "false", "activation": "gelu", "scaled": "false"},
    "equal tokens": {"text": "a a a\na"},
    "learned, causal": {"positions": "learned", "mask": "both", "heads": "16", "layers": "12"},
    "concatenated": {"positions": "concatenated", "heads": "6", "d_model": "60", "scale": "sqrt_d"},
}


@pytest.fixture(scope="module")
def functions_of_the_engine():
    """The syntax trees of all functions, methods and classes of encoder_core, by name."""
    trees = defaultdict(list)
    for file in Path(encoder_core.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                trees[node.name].append(node)
    return trees


def _is_without_checks(shown, whole):
    """Whether the first tree is the second one, or leaves out nothing but checks of arguments."""
    kept = set(map(ast.dump, shown.body))
    checks = [ast.unparse(statement) for statement in whole.body if ast.dump(statement) not in kept]
    rest = copy(whole)
    rest.body = [statement for statement in whole.body if ast.dump(statement) in kept]
    return ast.dump(rest) == ast.dump(shown) and all("require_" in check or "raise" in check for check in checks)


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS)
def page(framed, stage, request):
    return opened(stage, **request.param)


def test_the_map_shows_the_numbers_of_the_word_that_is_followed(framed):
    (derivation,) = derivations(opened(STAGES[0], text="The cat sat", token="2"))
    assert "“cat”" in str(derivation)


BADGES = {  # view of the full stack, or a stage -> what the tooltip of its badge says; None: there is no badge
    "All heads": "The attention weights of all 4 layers for sentence 2 are recomputed",
    "One word": "The attention weights of all 4 layers for sentence 2 are recomputed",
    "Head average": "The means over the heads of the attention weights of all 4 layers for sentence 2",
    "Rollout": "The shares that rollout computes from the attention weights of all 4 layers for sentence 2",
    "What heads look at": None,
    "Ablation": None,
    "Hidden states": "The vectors of sentence 2 after layer 3 are recomputed",
    "Sentences": None,
    "In and out": "The output vectors of sentence 2 are recomputed",
    "map": "The stages of the input and of layer 3 are recomputed",
    "softmax": "The result of this stage is recomputed",
}


def test_a_badge_says_what_was_recomputed(framed):
    for name, said in BADGES.items():
        stage, link = ("full_stack", {"view": name}) if name[0].isupper() else (name, {})
        at = opened(stage_named(stage), text="the cat\nthe dog", sentence="2", layer="3", **link)
        badges = [text for text in at.markdown if "recomputed" in text.value]
        assert [text.proto.help[: len(said or "")] for text in badges] == ([said] if said else []), name
        part = "layer 3 recomputed, Δ" if name in ("map", "Hidden states") else "recomputed, max Δ"
        assert all(text.value.startswith(f":green-badge[:material/check: {part} ") for text in badges)


def test_numbers_formula_and_code(page, functions_of_the_engine):
    (group,) = [group for group in page.button_group if group.key.partition(".")[0] == "numbers"]
    if INSPECTED_CELL in group.options:
        (derivation,) = derivations(page)
        assert derivation["steps"]
        assert derivation["difference"] < TOLERANCE
        formula_of_cell = page.latex[0].value
        assert formula_of_cell.count("{") == formula_of_cell.count("}")
        group.set_value(group.options[1])
        run(page)
    table = page.dataframe[0].value
    assert table.size > 0
    assert not table.isna().any(axis=None)
    assert table.index.is_unique
    assert table.columns.is_unique
    assert not any(re.match(r"\d+ (head|layer) \d", name) for name in table.index)
    (formula,) = page.latex
    assert formula.value.count("{") == formula.value.count("}")
    assert formula.value.count(r"\begin") == formula.value.count(r"\end")
    assert "brace{" in formula.value or r"\mathbb{R}" in formula.value
    assert not re.search(r"\+ (b_|M\b|P\b)", formula.value), "biases, the mask and the positions have shapes, too"
    assert not page.code  # a tab is rendered only when it is open
    page.session_state["session"].set(DETAILS, "Code")
    run(page)
    assert len(page.latex) <= 1
    (code,) = page.code
    nodes = ast.parse(code.value).body
    assert nodes
    for node in nodes:
        wholes = functions_of_the_engine[node.name]
        assert any(_is_without_checks(node, whole) for whole in wholes), ast.unparse(node).splitlines()[0]


def test_exactly_one_answer_is_right_and_the_feedback_names_it(page):
    (radio,) = page.radio
    assert radio.value is None
    assert not page.success
    assert len(set(radio.options)) == len(radio.options)
    feedback = {}
    for option in radio.options:
        page.radio[0].set_value(option)
        run(page)
        (answer,) = [*page.success, *page.info]
        feedback[option] = answer.value
    (right,) = [option for option, text in feedback.items() if text.startswith("Yes. ")]
    why = feedback[right].removeprefix("Yes. ")
    assert len(why) > 20
    for option, text in feedback.items():
        if option != right:
            answer = f"  \nThe answer is “{right}”. {why}"
            assert text.startswith("No. ")
            assert text.endswith(answer)
            misconception, look_at = text.removesuffix(answer).split(" Look at ")
            assert len(misconception) > 22
            assert look_at.endswith(".")


def test_the_next_page_does_not_show_the_answer(framed, stage):
    page = opened(stage)
    page.radio[0].set_value(page.radio[0].options[0])
    run(page)
    run(page.switch_page(STAGES[(stage.number + 1) % len(STAGES)].path))
    assert page.radio[0].value is None
    assert not page.success
    assert not page.info


@pytest.fixture(scope="module")
def expected():
    """The trace of the default model, computed with the engine."""
    tokenizer = WordTokenizer.from_texts(SENTENCES)
    config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
    return Encoder.random(config, 0, tokenizer=tokenizer).trace(SENTENCES, "padding")


def right_answer(page):
    for option in page.radio[0].options:
        page.radio[0].set_value(option)
        if run(page).success:
            return option
    raise AssertionError("no option is right")


def test_the_answer_on_weighted_values_is_the_largest_product(framed, expected):
    page = opened(stage_named("weighted_values"), token="10")
    products = np.abs(expected.layers[0].pattern[0, 0, 9] * expected.layers[0].v[0, 0, :, 0])
    assert right_answer(page).startswith(f"{int(products.argmax()) + 1} · ")


TABLES = {
    "qkv": ("Q", lambda layer: layer.q[0, 1]),
    "scaled_scores": ("scores", lambda layer: layer.scores[0, 1]),
    "weighted_values": ("z", lambda layer: layer.z[0, 1]),
    "softmax": ("weights", lambda layer: layer.pattern[0, 1]),
    "multi_head": ("concat", lambda layer: layer.concat[0]),
    "feed_forward": ("mlp out", lambda layer: layer.mlp_out[0]),
    "add_and_norm": ("norm out", lambda layer: layer.mlp_in[0]),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_numbers_equal_those_of_the_engine(framed, expected, name):
    title, part = TABLES[name]
    page = opened(stage_named(name), layer="3", head="2")
    (group,) = [group for group in page.button_group if group.key.partition(".")[0] == "numbers"]
    group.set_value(title)
    run(page)
    np.testing.assert_allclose(page.dataframe[0].value.to_numpy(), part(expected.layers[2]), atol=1e-5)


def test_the_numbers_of_a_view_without_cells_begin_with_those_of_its_figure(framed):
    at = opened(stage_named("full_stack"), view="Ablation")
    assert not derivations(at)
    assert at.dataframe
    assert any("To set a number, open “the cell”" in text for text in rendered(at))
    at = opened(stage_named("full_stack"), view="Ablation", cell="output.0.1.2")
    assert derivations(at)
    assert any("Open an operand to edit it" in text or "Open operands until" in text for text in rendered(at))
    assert derivations(opened(stage_named("full_stack"), view="One word"))


def test_the_numbers_have_a_heading(framed):
    at = opened(stage_named("softmax"))
    assert "Numbers" in [heading.value for heading in at.header]
