"""The map: its cards, its residual connections and its formula are those of the current model."""

import numpy as np
import pytest

from dashboard.components.diagram import _levels
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from tests.pages.app import bridges, cards, figures, opened, rendered

WITH_HEAD = {
    "reverse": (["output", "output head = logits"], "&= x_L"),
    "nanolm": (["after layer 6", "norm = output", "output head = logits"], r"&= \mathrm{norm}(x_L)"),
}


def formula(at):
    return next(latex.value for latex in at.latex if "x_0" in latex.value)


@pytest.mark.parametrize("name", WITH_HEAD)
def test_an_output_head_has_a_card_and_a_line_of_the_formula(framed, name):
    at, (titles, output) = opened(stage_named("map"), encoder=name), WITH_HEAD[name]
    model = model_for(Settings.from_state({"encoder": name}))
    last = cards(at)[-len(titles) :]
    assert [card["title"] for card in last] == titles
    assert last[-1]["stage"] == "full_stack"
    assert last[-1]["shape"].endswith(f"× {model.config.vocab_size}")
    assert "thumbnail" in last[-1]
    seq, (d_model, vocab) = model.batch.ids.shape[1], model.parameters["output_head.kernel"].shape
    bias = rf" + \overbrace{{b_\mathrm{{head}}}}^{{1\times{vocab}}}" if "output_head.bias" in model.parameters else ""
    assert rf"\mathrm{{output}}}}_{{{seq}\times{d_model}}} {output} \\ \underbrace{{\mathrm{{logits}}}}" in formula(at)
    assert rf"\overbrace{{W_\mathrm{{head}}}}^{{{d_model}\times{vocab}}}{bias} \end" in formula(at)


def test_without_an_output_head_the_map_has_no_logits(framed):
    at = opened(stage_named("map"))
    assert "logits" not in " ".join([*(card["title"] for card in cards(at)), formula(at)])
    assert cards(at)[-1]["title"] == "output"


def titles(at):
    return [card["title"] for card in cards(at) if card["stage"] == "add_and_norm"]


def test_the_residuals_of_the_map_follow_an_edit(framed):
    at = opened(stage_named("map"), edits="residual.1.attention=0~residual.1.mlp=0.5", layer="2")
    assert [bridge["label"] for bridge in bridges(at)] == ["residual removed", "residual × 0.5"]
    assert [bridge["removed"] for bridge in bridges(at)] == [True, False]
    assert titles(at) == ["norm", "add 0.5 · x & norm"]
    at = opened(stage_named("map"), edits="residual.1.attention=0", layer="1")  # another layer than the edited one
    assert [bridge["label"] for bridge in bridges(at)] == ["residual", "residual"]
    assert titles(at) == ["add & norm", "add & norm"]


def test_the_residuals_of_a_pre_norm_map_follow_an_edit(framed):
    at = opened(stage_named("map"), norm="pre", edits="residual.0.mlp=0")
    assert [bridge["label"] for bridge in bridges(at)] == ["residual", "residual removed"]
    assert titles(at) == ["norm", "add", "norm", "nothing added"]


@pytest.mark.parametrize(
    ("edits", "line", "values"),
    [
        ("", r"\mathrm{norm}(x_l + \mathrm{attention}", ""),
        ("residual.1.attention=0", r"\mathrm{norm}(a\, x_l + ", r"a &= 0 \text{ in layer 2}, \\ &\phantom"),
        ("residual.0.mlp=2~residual.2.mlp=2", r"\mathrm{norm}(f\, y + ", r"f &= 2 \text{ in layers 1 and 3}, "),
    ],
)  # fmt: skip
def test_the_formula_of_the_map_has_the_factors_of_the_residuals(framed, edits, line, values):
    text = formula(opened(stage_named("map"), edits=edits))
    assert line in text
    assert values in text
    assert bool(values) == ("others" in text)


def test_where_all_layers_are_edited_the_formula_has_no_others(framed):
    text = formula(opened(stage_named("map"), layers="1", edits="residual.0.mlp=0"))
    assert r"f &= 0 \text{ in layer 1} \end" in text


def test_add_and_norm_says_and_draws_an_edited_residual(framed):
    at = opened(
        stage_named("add_and_norm"), layer="2", edits="residual.1.attention=0~residual.0.mlp=0.5~residual.2.mlp=0.5"
    )
    texts = " ".join(rendered(at))
    note = "the residual around feed-forward is multiplied by 0.5 in layers 1 and 3"
    assert f"With your edits, the residual around attention is removed in layer 2, and {note}." in texts
    assert f"added to its input and normalised, too. With your edits, {note}." in texts
    assert "a dashed line a residual that an edit removes" in texts
    flows = [figure["title"] for figure in figures(at) if "sublayer(" in figure["title"] and ":" in figure["title"]]
    assert all(title.endswith("layer 2 as edited") for title in flows)
    assert len(flows) == 2
    other = opened(stage_named("add_and_norm"), layer="4", edits="residual.1.attention=0")
    assert "dashed" not in " ".join(rendered(other))
    assert not any("as edited" in figure["title"] for figure in figures(other))


def test_without_an_edit_of_a_residual_add_and_norm_mentions_none(framed):
    texts = " ".join(rendered(opened(stage_named("add_and_norm"), edits="head.0.0=0~residual.1.mlp=1")))
    assert "Your edits change" not in texts
    assert "dashed" not in texts


def test_three_edited_residuals_have_commas_and_one_and(framed):
    link = {"edits": "residual.0.attention=0~residual.0.mlp=0~residual.1.mlp=-1", "layers": "2"}
    texts = " ".join(rendered(opened(stage_named("add_and_norm"), **link)))
    assert (
        "With your edits, the residual around attention is removed in layer 1, the residual around "
        "feed-forward is multiplied by −1 in layer 2, and the residual around feed-forward is removed in layer 1."
    ) in texts


@pytest.mark.parametrize("edits", ["", "residual.0.mlp=0.5~residual.0.attention=0"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_formula_of_the_map_names_both_sublayers(framed, norm, edits):
    text = formula(opened(stage_named("map"), norm=norm, **({"edits": edits} if edits else {})))
    a, f = (r"a\, ", r"f\, ") if edits else ("", "")
    sums = {
        "post": (rf"norm}}({a}x_l + \mathrm{{attention}}(x_l))", rf"norm}}({f}y + \mathrm{{FFN}}(y))"),
        "pre": (rf"}} &= {a}x_l + \mathrm{{attention}}(\mathrm{{norm}}(x_l))",
                rf"= {f}y + \mathrm{{FFN}}(\mathrm{{norm}}(y))"),
    }  # fmt: skip
    assert all(part in text for part in sums[norm]), text
    assert "<" not in text


def test_only_masked_cells_of_a_thumbnail_have_the_colour_of_masked_cells():
    """Dropout makes weights larger than 1."""
    assert _levels(np.array([[1.0, 1.003, 1.11, 0.5, 0.0, np.nan]]), "weights").tolist() == [
        [254, 254, 254, 127, 0, 255]
    ]
    assert _levels(np.array([[2.0, 0.0, -2.0, -np.inf]]), "signed").tolist() == [[254, 127, 0, 255]]
