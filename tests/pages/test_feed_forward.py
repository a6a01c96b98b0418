"""The feed-forward page: the place of the activation, and the effect of dropout on a neuron."""

import re

import pytest

from dashboard.page_list import stage_named
from encoder_core import RECIPES, Encoder
from encoder_core.edits import Dropout
from tests.pages.app import figures, opened, rendered


@pytest.mark.parametrize(
    ("variant", "formula", "title"),
    [
        ("as intended", (r"&= \text{GELU}_{\tanh}\big(\overbrace{X}", r"&= H\;"), "· W_down + b"),
        ("as written", (r"&= \overbrace{X}", r"&= \text{GELU}_{\tanh}\big(H\;"), "out, activated"),
    ],
)
def test_the_feed_forward_page_shows_the_place_of_the_activation(framed, variant, formula, title):
    at = opened(stage_named("feed_forward"), encoder="nnx", variant=variant)
    (equations,) = [latex.value for latex in at.latex if "W_{up}" in latex.value and "aligned" in latex.value]
    assert all(part in equations for part in formula)
    titles = [figure["title"] for figure in figures(at)]
    assert title in titles
    texts = " ".join(rendered(at))
    between = variant == "as intended"
    assert ("no activation" in titles) != between
    assert ("no activation: one dot per neuron" in titles) != between
    assert ("There is no activation between the two linear layers." in texts) != between
    assert ("No activation follows the first linear layer" in texts) != between
    assert ("Without the activation, this feed-forward network would be one affine map." in texts) == between


@pytest.mark.parametrize(("activation", "name"), [("relu", "ReLU"), ("gelu", "GELU"), ("gelu_tanh", "GELU_tanh")])
def test_the_activation_has_a_name_without_brackets_before_its_argument(framed, activation, name):
    at = opened(stage_named("feed_forward"), activation=activation)
    assert f"{name}( )" in [figure["title"] for figure in figures(at)]
    assert any(re.search(rf"^{name}\(−?[\d.]+\) [=≈] ", text, re.M) for text in rendered(at))
    assert not any(
        re.search(r"\)\(|\)}\\big\(", text) for text in [*rendered(at), *(latex.value for latex in at.latex)]
    )


def test_the_feed_forward_page_shows_the_effect_of_dropout_on_a_neuron(framed):
    """At rate 0.5 some seeds keep the neuron that is described, which doubles it, and others drop it."""
    inputs, mask, _ = RECIPES["nnx"].inputs(0)
    factors = set()
    for seed in range(6):
        at = opened(stage_named("feed_forward"), encoder="nnx", edits=f"dropout.{seed}=0.5")
        (neuron_text,) = [text for text in rendered(at) if "The neuron adds" in text]
        layer = Encoder.recipe("nnx").trace(inputs, mask, [Dropout(seed, 0.5)]).kept.layers[0]
        factor = 2 if layer.mlp_act[0, 0, int(re.search(r"Neuron (\d+)", neuron_text)[1])] else 0
        assert f"; dropout: × {factor}  \n" in neuron_text
        assert ("The neuron adds **0** times" in neuron_text) == (factor == 0)
        factors.add(factor)
    assert factors == {0, 2}
    (neuron_text,) = [
        text for text in rendered(opened(stage_named("feed_forward"), encoder="nnx")) if "The neuron adds" in text
    ]
    assert "dropout" not in neuron_text


def test_without_an_activation_the_dropout_of_a_neuron_continues_the_sentence(framed):
    at = opened(stage_named("feed_forward"), encoder="nnx", variant="as written", edits="dropout.1")
    (neuron_text,) = [text for text in rendered(at) if "The neuron adds" in text]
    assert re.search(r"\*\* is unchanged by it; dropout: × (1\.11|0)  \n", neuron_text)


def test_the_number_of_changed_rows_is_that_of_the_lengths_above_0(framed):
    at = opened(stage_named("feed_forward"), mask="causal", token="3", exchanged="4")
    after_attention, after_network = [
        figure["data"][-1]["text"] for figure in figures(at) if figure["title"] == "length"
    ]
    (text,) = [text for text in rendered(at) if "Rows changed after attention" in text]
    assert [number == "0.00" for number in after_attention] == [True] * 2 + [False] * 18
    assert [number == "0.00" for number in after_network] == [True] * 2 + [False] + [True] * 17
    assert "**18 of 20**" in text
    assert "**1 of 20**" in text
