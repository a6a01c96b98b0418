"""Edits: from a link or the controls, with undo, redo and reset; edits that do not fit are reported."""

import re

import numpy as np
import pytest
import streamlit as st

from dashboard.markdown import plain_text
from dashboard.page_list import stage_named
from dashboard.state import edit_history
from dashboard.state.session import session
from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder, EncoderConfig, HeadFactor, WordTokenizer, residual_change
from encoder_core.edits import format_edit, parse_edit
from tests.pages.app import chosen, figures, key_of, opened, rendered, run
from tests.pages.app import warning_texts as messages

SENTENCES = DEFAULT_TEXT.splitlines()
EDITS = {
    "token_embedding": "token_embedding.4.3=2.5", "embedded": "embedded.0.2.1=-3", "W_Q": "wq.0.0.5.2=1.5",
    "W_K": "wk.1.2.5.2=1.5", "W_V": "wv.0.0.5.2=1.5", "W_O": "wo.3.1.2.5=1.5", "score": "score.0.0.0.2.1=6.5",
    "token": "token.0.2=7", "hide": "hide.0.2", "head": "head.2.1=0", "residual": "residual.1.mlp=0",
    "temperature": "temperature=0.5", "unscaled": "unscaled",
}  # fmt: skip


def edits_in_use(at):
    return chosen(at, "edits")


def edits_in_bar(at):
    """The labels of the buttons that remove the edits."""
    labels = [button.label for button in at.button if button.key and button.key.startswith("without_")]
    return [re.sub(r"\\(.)\u2060", r"\1", label) for label in labels]


def enabled(at):
    return {button.label for button in at.button if not button.disabled}


def press(at, label):
    next(button for button in at.button if button.label == label).click()
    return run(at)


COMPUTED, OTHERS = "This number is computed from others. ", "“Other edits” change a token, a head or a residual."
OPEN = "Open operands until one can be edited; "
PARAMETER = "No edit sets this parameter. Edits set cells of E, W_Q, W_K, W_V and W_O."


@pytest.mark.parametrize(
    ("page", "cell", "sentence"),
    [
        ("feed_forward", "mlp_act.0.0.15.6", COMPUTED + OPEN + OTHERS),
        ("feed_forward", "mlp_act.0.0.15.6~mlp_pre.0.0.15.6~parameters.layers.0.mlp.up.kernel.3.6", PARAMETER),
        ("qkv", "q.0.0.0.1.1", COMPUTED + "Open an operand to edit it."),
        ("qkv", "q.0.0.0.1.1~parameters.layers.0.attention.query.bias.1", PARAMETER),
        ("add_and_norm", "mlp_in.0.0.1.1~parameters.layers.0.norm1.scale.1", PARAMETER),
        ("embedding", "token_embedding.0.1.1~ids.0.1", "This is an input. “Other edits” replace a token."),
        ("positions", "position_encoding.1.1",
         "No edit sets this number, which depends on no token. Edits set the input of the first layer."),
    ],
)  # fmt: skip
def test_a_number_without_an_edit_says_what_can_be_edited(framed, page, cell, sentence):
    texts = rendered(opened(stage_named(page), cell=cell))
    assert sentence in texts
    assert sum(text.startswith((COMPUTED, "No edit sets", "This is an input.")) for text in texts) == 1


def test_the_table_of_learned_positions_has_no_edit(framed):
    cell = "embedded.0.1.1~position_encoding.1.1~parameters.position_embedding.1.1"
    assert PARAMETER in rendered(opened(stage_named("positions"), positions="learned", cell=cell))


@pytest.mark.parametrize(
    ("page", "link", "latex"),
    [
        ("weighted_values", {"edits": "head.0.0=0.00001"}, r"= {1 \cdot 10^{-5}} \cdot \underbrace{A}"),
        ("map", {"edits": "residual.0.attention=0.00001"}, r"{1 \cdot 10^{-5}} \text{ in layer 1}"),
        ("scaled_scores", {"edits": "residual.0.attention=-0.0000012", "cell": "resid_mid.0.0.1.2"},
         r"{-1.2 \cdot 10^{-6}} \cdot "),
        ("scaled_scores", {"edits": "score.0.0.0.15.2=-0.0000001", "cell": "scores.0.0.0.15.2"},
         r"{-1 \cdot 10^{-7}} \text{ (set by hand)}"),
        ("positions", {"edits": "embedded.0.15.0=250000.5", "cell": "embedded.0.15.0"},
         r"250{,}000.5 \text{ (set by hand)}"),
    ],
)  # fmt: skip
def test_formulas_write_small_and_large_factors_as_powers_of_ten(framed, page, link, latex):
    at = opened(stage_named(page), **link)
    formulas = [part.value for part in at.latex]
    assert latex in " ".join(formulas)
    assert not [formula for formula in formulas if re.search(r"\de[-+]?\d", formula)]


@pytest.fixture(scope="module")
def encoder():
    tokenizer = WordTokenizer.from_texts(SENTENCES)
    config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
    return Encoder.random(config, 0, tokenizer=tokenizer)


@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_every_page_renders_with_an_edit(framed, stage, text):
    at = opened(stage, edits=text)
    assert edits_in_use(at) == (text,)
    assert not at.warning


def decoded(z):
    """The matrix of a serialised array."""
    import base64

    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape([int(n) for n in z["shape"].split(",")])


def test_the_effect_of_edits_equals_that_of_the_engine(framed, encoder):
    texts = ["score.0.0.0.2.1=6.5", "head.1.0=0"]
    at = opened(stage_named("scaled_scores"), edits="~".join(texts), cell="scores.0.0.0.2.1")
    before = encoder.trace(SENTENCES, "padding")
    after = encoder.trace(SENTENCES, "padding", [parse_edit(text) for text in texts])
    by_title = {}
    for figure in figures(at):
        by_title.setdefault(figure["title"], figure["data"][0].get("z"))
    for title, trace in (("scores before", before), ("after", after)):
        scores = trace.layers[0].scores[0, 0]
        drawn = np.where(np.isfinite(scores), scores, np.nan)  # a masked cell is empty
        np.testing.assert_allclose(decoded(by_title[title]), drawn, atol=1e-5)
    strip = decoded(by_title["length of the change at each stage"])
    np.testing.assert_allclose(strip, residual_change(before, after), atol=1e-5)
    assert strip[0].max() == 0
    assert strip[-1].min() > 0


def test_changes_are_counted_without_padding(framed):
    """Without a mask, an edit changes the padding of its sentence, too."""
    at = opened(stage_named("scaled_scores"), text="a b\na b c d e", layers="1", mask="none", edits="embedded.0.0.1=3")
    (text,) = [text for text in rendered(at) if text.startswith("After the last layer")]
    assert "at **2 of 2 tokens**" in text


def test_no_edit_ends_another_one(framed):
    full = tuple(f"score.0.0.0.{number // 5}.{number % 5}=1" for number in range(edit_history.MAX_EDITS))
    note = f"{edit_history.MAX_EDITS} edits are in use, the most at once. "
    at = opened(stage_named("scaled_scores"), edits="~".join(full[:-1]), cell="scores.0.0.0.7.1")
    assert not [text for text in rendered(at) if text.startswith(note)]
    at = opened(stage_named("scaled_scores"), edits="~".join(full), cell="scores.0.0.0.7.1")
    assert [text for text in rendered(at) if text.startswith(note)]
    at.number_input(key=key_of(at, "what_if_number")).set_value(2.0)
    run(at)
    assert edits_in_use(at) == full  # one edit more is not made
    at = opened(stage_named("scaled_scores"), edits="~".join(full), cell="scores.0.0.0.0.0")
    at.number_input(key=key_of(at, "what_if_number")).set_value(2.0)
    run(at)
    assert edits_in_use(at) == (*full[1:], "score.0.0.0.0.0=2")  # a change of one is


def test_one_edit_more_than_allowed_is_no_change_that_could_be_undone(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    for head in range(edit_history.MAX_EDITS + 1):
        edit_history.add(HeadFactor(0, head, 0.0))
    assert len(edit_history.edit_texts()) == edit_history.MAX_EDITS
    assert not session().problems
    edit_history.undo()
    assert len(edit_history.edit_texts()) == edit_history.MAX_EDITS - 1
    session().read_link("")  # as Back does
    assert not edit_history.can_undo(), "there is no change that led to these edits"


def test_a_number_is_set_undone_redone_and_reset(framed):
    at = opened(stage_named("scaled_scores"), cell="scores.0.0.0.2.1")
    at.number_input(key=key_of(at, "what_if_number")).set_value(2.0)
    run(at)
    assert edits_in_use(at) == ("score.0.0.0.2.1=2",)
    slider = at.slider(key=key_of(at, "what_if_slider"))
    assert slider.max == -slider.min == pytest.approx(round(slider.max / slider.step) * slider.step), "ends are steps"
    slider.set_value(-4.0)
    run(at)
    (one,) = edits_in_use(at)
    assert parse_edit(one).value == pytest.approx(-4, abs=0.2)
    press(at, "Undo")
    assert edits_in_use(at) == ("score.0.0.0.2.1=2",)
    press(at, "Undo")
    assert edits_in_use(at) == ()
    press(at, "Redo")
    press(at, "Redo")
    assert edits_in_use(at) == (one,)
    press(at, "Reset")
    assert edits_in_use(at) == ()
    press(at, "Undo")
    assert edits_in_use(at) == (one,)
    next(button for button in at.button if button.key.startswith("without_")).click()
    run(at)
    assert edits_in_use(at) == ()


@pytest.mark.parametrize(
    ("label", "edit"),
    [
        ("Hide token 3 · cat as key", "hide.0.2"),
        ("Switch off head 2 of layer 1", "head.0.1=0"),
        ("Remove the residual around attention 1", "residual.0.attention=0"),
        ("Remove the residual around feed-forward 1", "residual.0.mlp=0"),
        ("Do not divide scores by √d_head", "unscaled"),
    ],
)
def test_other_edits_have_a_button(framed, label, edit):
    at = opened(stage_named("scaled_scores"), token="3", head="2")
    press(at, label)
    assert [parse_edit(text) for text in edits_in_use(at)] == [parse_edit(edit)]


def test_a_token_is_replaced(framed):
    at = opened(stage_named("embedding"), token="3")
    at.selectbox(key="what_if_token").set_value(3)
    press(run(at), "Replace")
    assert edits_in_use(at) == ("token.0.2=3",)
    assert any("becomes" in button.label for button in at.button)


def test_the_figure_before_the_edits_has_the_replaced_token(framed):
    at = opened(stage_named("qkv"), edits="token.0.2=3", cell="q.0.0.0.2.1")
    before, after = (
        [figure for figure in figures(at) if figure["title"] in titles]
        for titles in (("Q before", "output before"), ("after",))
    )
    assert [figure["rows"]["names"][:3] for figure in before] == [["The", "black", "cat"]] * 2
    assert [figure["rows"]["names"][:3] for figure in after] == [["The", "black", "black"]] * 2


def test_an_edit_that_is_set_again_is_no_change(framed):
    at = opened(stage_named("scaled_scores"), token="3", edits="hide.0.2~head.0.1=0")
    press(at, "Hide token 3 · cat as key")
    assert edits_in_use(at) == ("hide.0.2", "head.0.1=0")
    assert "Undo" not in enabled(at)


@pytest.mark.parametrize(
    ("edits", "message", "kept"),
    [
        ("colour.1=2", "name='colour' is unknown", ()),
        ("head.2.1=0~head.x.1=0", "layer='x' is invalid: allowed are whole numbers", ("head.2.1=0",)),
        ("head.11.1=0", "12, head 2 off” is ignored: there are 4 layers.", ("head.11.1=0",)),
        ("score.0.0.0.2.1=nan", "value='nan' is invalid: allowed are finite numbers", ()),
        ("<b>=1", "name='<b>' is unknown", ()),
        ("~".join(f"embedded.0.0.{i}=1" for i in range(30)), "30 edits; the first 24", None),
    ],
)
def test_an_invalid_edit_in_a_link_is_ignored_with_a_message(framed, edits, message, kept):
    at = opened(stage_named("scaled_scores"), edits=edits)
    assert any(message in warning for warning in messages(at)), messages(at)
    assert kept is None or edits_in_use(at) == kept


def test_an_edit_that_does_not_fit_is_applied_once_it_fits(framed):
    at = opened(stage_named("scaled_scores"), edits="head.5.1=0")
    assert edits_in_bar(at) == []
    (warning,) = messages(at)
    assert plain_text(warning) == "The edit “layer 6, head 2 off” is ignored: there are 4 layers."
    at.select_slider(key="layers").set_value(8)
    run(at)
    assert not at.warning
    assert edits_in_bar(at) == ["layer 6, head 2 off"]


def test_a_new_edit_clears_the_redo_history(framed):
    at = opened(stage_named("scaled_scores"), edits="unscaled")
    press(at, "Reset")
    press(at, "Undo")
    press(at, "Switch off head 1 of layer 1")
    assert [parse_edit(text) for text in edits_in_use(at)][-1] == parse_edit("head.0.0=0")
    assert "Undo" in enabled(at)
    assert "Redo" not in enabled(at)


def test_no_edit_contains_the_separator():
    assert edit_history.SEPARATOR not in "".join(EDITS.values())
    assert {format_edit(parse_edit(text)) for text in EDITS.values()} == set(EDITS.values())


def test_the_bar_is_shown_with_edits_and_after_an_undo_on_the_same_page(framed):
    at = opened(stage_named("scaled_scores"))
    assert not enabled(at) & {"Undo", "Redo", "Reset"}
    press(at, "Switch off head 1 of layer 1")
    assert "**Edits**" in rendered(at)
    press(at, "Undo")
    assert "Redo" in enabled(at)
    run(at.switch_page(stage_named("softmax").path))
    assert not enabled(at) & {"Undo", "Redo", "Reset"}
    run(at.switch_page(stage_named("scaled_scores").path))
    press(at, "Redo")
    assert edits_in_bar(at) == ["layer 1, head 1 off"]


@pytest.mark.parametrize(("variant", "is_said"), [("as written", True), ("as intended", False)])
def test_where_each_layer_reads_the_input_it_is_said_why_later_ones_do_not_change(framed, variant, is_said):
    at = opened(stage_named("qkv"), encoder="nnx", variant=variant, edits="head.0.1=0")
    (text,) = [text for text in rendered(at) if text.startswith("After the last layer")]
    assert ("at **0 of 16 tokens**" in text, "does not reach the next ones" in text) == (is_said, is_said)
