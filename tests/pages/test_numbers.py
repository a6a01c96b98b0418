"""Arithmetic in words holds as it is displayed; tokens and positions count from 1, dimensions and ids from 0."""

import base64
import math
import re

import numpy as np
import pytest

from dashboard.components.derivation import DIGITS
from dashboard.inspect.depths import NumberTable, _to_dataframe
from dashboard.lessons.recipes import by_hand
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from encoder_core.support.number_format import format_number
from tests.number_table import parsed, unit_of
from tests.pages.app import derivations, figures, opened, rendered, run

NUMBER = r"\(?(−?[\d.,]+(?:e−?\d+)?)\)?"
SETTINGS = [{}, {"head": "3", "layer": "2", "token": "9", "key_token": "4"}, {"layer": "4", "token": "14", "seed": "7"}]


def parse_calculation(texts: list[str], pattern: str) -> tuple[list[float], str, str]:
    """From the one text with the pattern: the operands as numbers, the relation, and the result as text."""
    (match,) = [match for text in texts if (match := re.search(pattern, text))]
    *operands, relation, result = match.groups()
    return [parsed(operand) for operand in operands], relation, result


def holds(calculated: float, relation: str, result: str) -> bool:
    return relation == "≈" or abs(calculated - parsed(result)) <= 0.500001 * unit_of(result)


def explanation(at) -> str:
    """The explanation of the question, after an answer."""
    (radio,) = [radio for radio in at.radio if radio.key and radio.key.startswith("predict")]
    radio.set_value(radio.options[0])
    run(at)
    return [*at.success, *at.info][-1].value


@pytest.mark.parametrize("link", SETTINGS)
def test_weight_times_value_is_the_product_displayed(framed, link):
    text = explanation(opened(stage_named("weighted_values"), **link))
    operands, relation, result = parse_calculation([text], rf"value is {NUMBER} × {NUMBER} (=|≈) (\S+)\.$")
    assert holds(math.prod(operands), relation, result)


@pytest.mark.parametrize("link", SETTINGS)
def test_exp_and_quotient_are_the_weight_displayed(framed, link):
    at = opened(stage_named("softmax"), **link)
    pattern = rf"exp\({NUMBER}\) / {NUMBER} (=|≈) {NUMBER} / {NUMBER} (=|≈) \*\*(\S+)\*\*\."
    (match,) = [match for text in rendered(at) if (match := re.search(pattern, text))]
    score, total, first, exp, again, second, weight = match.groups()
    assert total == again
    assert holds(math.exp(parsed(score)), first, exp)
    assert holds(parsed(exp) / parsed(total), second, weight)
    operands, relation, result = parse_calculation([explanation(at)], rf"exp\({NUMBER}\) (=|≈) (\S+): ")
    assert holds(math.exp(*operands), relation, result)
    assert any(f"by {format_number(*operands)}. How many times" in text for text in rendered(at))


EQUAL = {"text": "dog dog dog", "mask": "both", "heads": "8", "d_model": "8", "positions": "none", "layers": "2"}


@pytest.mark.parametrize("link", [*SETTINGS, EQUAL])
def test_the_double_of_a_score_follows_from_the_score_displayed(framed, link):
    text = explanation(opened(stage_named("scaled_scores"), **link))
    (score, double), *_ = re.findall(rf"{NUMBER} would become {NUMBER}\.", text)
    assert holds(2 * parsed(score), "=", double)


@pytest.mark.parametrize(("link", "is_zero"), [(EQUAL, True), (EQUAL | {"text": "dog cat dog"}, False)])
def test_the_variance_of_equal_dot_products_is_0(framed, link, is_zero):
    (text,) = [part for part in rendered(opened(stage_named("scaled_scores"), **link)) if "Variance of the row" in part]
    assert ("**0**" in text) == is_zero


@pytest.mark.parametrize(("edits", "counts"), [("", 2), ("unscaled", 1), ("score.0.0.0.4.2=50", 2)])
def test_the_variances_of_the_selected_row_are_those_of_its_dot_products(framed, edits, counts):
    at = opened(stage_named("scaled_scores"), text="one two three four five", token="5", mask="causal", edits=edits)
    (text,) = [part for part in rendered(at) if "Variance of the row of “five”" in part]
    variances = re.findall(r"\*\*(\S+)\*\*", text)
    dots = model_for(Settings.from_state({"text": "one two three four five"})).trace.layers[0].dot_products[0, 0]
    expected = [dots[4].var(), dots[4].var() / 16][:counts] + [mean := dots.var(axis=1).mean(), mean / 16][:counts]
    assert variances == [format_number(value, 3) for value in expected]
    assert ("You have set 1 score of this head, instead of" in text) == edits.startswith("score")


@pytest.mark.parametrize(("token", "output_id"), [(1, 7), (3, 7), (3, 90), (5, 12), (8, 33), (10, 50)])
def test_a_ratio_of_probabilities_follows_from_the_difference_displayed(framed, token, output_id):
    link = {"encoder": "nanolm", "view": "Predicted tokens", "token": str(token), "output_id": str(output_id)}
    at = opened(stage_named("full_stack"), **link)
    texts = rendered(at)
    ((gap,),) = [match for text in texts if (match := re.findall(rf"is {NUMBER} larger than that of", text))]
    (radio,) = [radio for radio in at.radio if radio.key and radio.key.startswith("predict")]
    ratios = [option.removesuffix(" times") for option in radio.options]
    assert any(holds(math.exp(parsed(gap)), "=", ratio) for ratio in ratios), (gap, ratios)


@pytest.mark.parametrize("link", SETTINGS)
def test_a_norm_of_one_number_is_displayed_as_it_is_computed(framed, link):
    texts = rendered(opened(stage_named("add_and_norm"), **link))
    (x, mean, variance), relation, result = parse_calculation(
        texts, rf"\({NUMBER} − {NUMBER}\) / √{NUMBER} (=|≈) {NUMBER}, then"
    )
    assert holds((x - mean) / math.sqrt(variance), relation, result)
    (n, scale, shift), relation, result = parse_calculation(
        texts, rf"then {NUMBER} × {NUMBER} \+ {NUMBER} (=|≈) \*\*(\S+)\*\*\."
    )
    assert holds(n * scale + shift, relation, result)


@pytest.mark.parametrize("link", [*SETTINGS, {"activation": "gelu", "token": "5"}])
def test_a_neuron_is_displayed_as_it_is_computed(framed, link):
    texts = rendered(opened(stage_named("feed_forward"), **link))
    operands, relation, result = parse_calculation(texts, rf"W_up \+ b = {NUMBER} \+ {NUMBER} (=|≈) (\S+)  \n")
    assert holds(sum(operands), relation, result)
    (x,), relation, result = parse_calculation(texts, rf"LU\({NUMBER}\) (=|≈) \*\*(\S+)\*\*")
    gelu = x * (1 + math.erf(x / math.sqrt(2))) / 2
    assert holds(gelu if "activation" in link else max(x, 0), relation, result)


@pytest.mark.parametrize("page", ["scaled_scores", "weighted_values", "feed_forward"])
def test_the_products_of_a_derivation_hold_as_displayed(framed, page):
    (derivation,) = derivations(opened(stage_named(page), token="5"))
    terms = [term for step in derivation["steps"] for term in step["terms"] if term["sign"] == "×"]
    for term in terms:
        operands = [parsed(format_number(operand["value"], term["operand_digits"])) for operand in term["operands"]]
        assert holds(math.prod(operands), term["relation"], format_number(term["adds"], term["adds_digits"]))
    assert page == "feed_forward" or terms
    digits = {term["operand_digits"] for step in derivation["steps"] for term in step["terms"]}
    assert digits <= {*range(4, 9), DIGITS}


@pytest.mark.parametrize(
    ("score", "mask", "text"),
    [
        (30, "none", r"/ 1 ≈ \*\*1\*\*\."),  # the other keys have some of the weight
        (-900, "none", r"≈ 0 / \S+ ≈ \*\*0\*\*\."),  # exp(-900) is smaller than any float
        (30, "causal", r"= 1 / 1 = \*\*1\*\*\."),  # the only visible key
    ],
)
def test_a_weight_that_rounds_to_0_or_1_is_not_said_to_equal_it(framed, score, mask, text):
    at = opened(stage_named("softmax"), edits=f"score.0.0.0.0.0={score}", token="1", key_token="1", mask=mask)
    described = next(part for part in rendered(at) if "Selected cell" in part)
    assert re.search(text, described), described


def test_a_ratio_of_weights_is_written_without_an_exponent(framed):
    """Scores set by hand, 7.08 apart: exp(7.08) = 1188."""
    edits = "score.0.0.0.0.0=9.08~score.0.0.0.0.1=2"
    at = opened(stage_named("softmax"), edits=edits, token="1", key_token="2", mask="both")
    options = [option for radio in at.radio for option in radio.options]
    assert "1,190 times" in options
    assert not [option for option in options if re.search(r"e\+|e\d", option)], options


def test_positions_count_from_1_and_the_formula_from_0(framed):
    at = opened(stage_named("positions"), token="1")
    encoding = next(x for x in figures(at) if x["rows"]["kind"] == "position")
    curves = next(x for x in figures(at) if x["kind"] == "curves")
    assert encoding["rows"]["names"][:2] == ["1", "2"]
    assert np.frombuffer(base64.b64decode(curves["data"][0]["x"]["bdata"]), "f4")[0] == 1
    assert any("positions 1 and 3 have the dot product" in text for text in rendered(at))
    assert any(r"pos = \text{position} - 1" in latex.value for latex in at.latex)


def test_the_derivation_of_a_position_names_it_from_1(framed):
    (derivation,) = derivations(opened(stage_named("positions"), cell="position_encoding.2.1"))
    assert derivation["description"] == "Position encoding: position 3, dimension 1"
    operands = [operand for step in derivation["steps"] for term in step["terms"] for operand in term["operands"]]
    assert ("position − 1", 2) in [(operand["name"], operand["value"]) for operand in operands]


def test_rows_of_a_table_are_numbered_once_and_from_their_first_number():
    values = np.zeros((2, 1))
    assert list(_to_dataframe(NumberTable(values, ["the", "cat"], ["x"])).index) == ["1 the", "2 cat"]
    assert list(_to_dataframe(NumberTable(values, ["the", "cat"], ["x"], first=0)).index) == ["0 the", "1 cat"]
    assert list(_to_dataframe(NumberTable(values, ["0", "1"], ["x"], first=None)).index) == ["0", "1"]


def test_the_numbers_of_a_tiny_model_have_one_space_after_them(framed):
    at = opened(stage_named("map"), text="it", d_model="4", heads="1", d_ff="8", layers="1")
    at.radio[0].set_value("the same parameters, more than twice the FLOPs")
    shown = [*rendered(run(at)), *(caption.value for caption in at.caption), *(box.value for box in at.success)]
    (answer,) = {text for text in shown if "The FLOPs grow from" in text}
    assert re.search(r"The FLOPs grow from \d+ to \d+, to 2\.1 times as many: each of", answer)
    (sizes,) = {text for text in shown if "FLOP a pass" in text}
    assert re.fullmatch(r"\d+ parameters · \d+ B  \n\d+ FLOP a pass", sizes)


def test_the_map_explains_its_numbers(framed):
    texts = " ".join(rendered(opened(stage_named("map"))))
    assert "can depend on every token that it may attend to" in texts
    assert "Only matrix products are counted" in texts
    assert "Hoffmann et al. 2022, appendix F" in texts
    assert "What happens to the number of parameters, and to the FLOPs?" in texts
    assert "neighbours" not in texts
    assert "most of its parameters" not in texts


@pytest.mark.parametrize(
    ("calculated", "displayed", "relation"),
    [(1.39, "1.39000", "="), (1.390004, "1.39000", "="), (1.39001, "1.39000", r"\approx"), (4e-5, "4e-05", "="),
     (4.6e-5, "4e-05", r"\approx"), (25000.4, "25000", "="), (25001.0, "25000", r"\approx")],
)  # fmt: skip
def test_the_worked_example_has_an_equals_sign_only_if_the_displayed_numbers_are_equal(calculated, displayed, relation):
    assert by_hand._relation(calculated, displayed) == relation


@pytest.mark.parametrize(
    ("link", "title", "sentence"),
    [
        ({"d_model": "12", "heads": "12"}, "Q Kᵀ / √1", "Division by √1 changes nothing."),
        ({"edits": "unscaled"}, "Q Kᵀ, not scaled", "The dot products are not scaled."),
    ],
)
def test_a_division_by_1_is_still_a_division(framed, link, title, sentence):
    """A head of one dimension: the derivation of a score divides by the root of 1, too."""
    at = opened(stage_named("scaled_scores"), **link)
    assert title in [figure["title"] for figure in figures(at)]
    assert any(sentence in text for text in rendered(at))
