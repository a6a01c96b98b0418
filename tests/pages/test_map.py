"""The map: its cards, its residual connections and its formula are those of the current model."""

import pytest

from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from tests.pages.app import cards, opened

WITH_HEAD = {
    "reverse": (["output", "output head = logits"], r"\mathrm{output} &= x_L"),
    "nanolm": (["after block 6", "norm = output", "output head = logits"], r"\mathrm{output} &= \mathrm{norm}(x_L)"),
}


def formula(at):
    return next(latex.value for latex in at.latex if "x_0" in latex.value)


@pytest.mark.parametrize("name", WITH_HEAD)
def test_an_output_head_has_a_card_and_a_line_of_the_formula(framed, name):
    at, (titles, output) = opened(stage_named("map"), encoder=name), WITH_HEAD[name]
    config = model_for(Settings.from_state({"encoder": name})).config
    last = cards(at)[-len(titles) :]
    assert [card["title"] for card in last] == titles
    assert last[-1]["stage"] == "full_stack"
    assert last[-1]["shape"].endswith(f"× {config.vocab_size}")
    assert "thumbnail" in last[-1]
    bias = (
        r" + b_\mathrm{head}"
        if "output_head.bias" in model_for(Settings.from_state({"encoder": name})).parameters
        else ""
    )
    assert rf"{output} \\ \mathrm{{logits}} &= \mathrm{{output}}\; W_\mathrm{{head}}{bias} \end" in formula(at)


def test_without_an_output_head_the_map_has_no_logits(framed):
    at = opened(stage_named("map"))
    assert "logits" not in " ".join([*(card["title"] for card in cards(at)), formula(at)])
    assert cards(at)[-1]["title"] == "output"
