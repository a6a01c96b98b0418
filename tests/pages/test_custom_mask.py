"""A custom mask: chosen, edited and typed in the sidebar, kept in the link, and applied on every page."""

import base64
import re

import numpy as np
import pytest

from dashboard.components.mask_grid import _changed
from dashboard.page_list import stage_named
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.mask_link import format_mask
from tests.pages.app import chosen, derivations, figures, key_of, link_of, opened, rendered, run, warning_texts

TEXT = "a b c\nd e f g"
REAL = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], bool)


def masked_scores(at):
    """The cells without a number in the last heatmap of Scaled scores: 1 where a query sees the key."""
    z = next(panel for panel in figures(at) if panel["title"] == "masked")["data"][0]["z"]
    values = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
    side = int(len(values) ** 0.5)
    return "/".join("".join(str(int(x)) for x in row) for row in np.isfinite(values.reshape(side, side)))


def scaled_scores(**link):
    return opened(stage_named("scaled_scores"), **{"text": "a b c", **link})


def describes(at, text):
    return any(text in caption.value for caption in at.caption)


def mask_field(at):
    return at.text_area(key=key_of(at, "mask_text"))


def test_the_first_custom_mask_hides_what_the_mask_before_it_hid(framed):
    at = scaled_scores(mask="causal")
    at.button_group(key="mask").set_value("custom")
    assert masked_scores(run(at)) == "100/110/111"
    assert link_of(at)["custom_mask"] == ["causal.2"]
    assert describes(at, "(seq, seq): the causal mask.")
    at = scaled_scores(text=TEXT)
    at.button_group(key="mask").set_value("custom")
    assert masked_scores(run(at)) == "1110/1110/1110/1110"
    assert link_of(at)["custom_mask"] == ["padding.keys"]


def test_a_typed_mask_is_applied_and_undone(framed):
    at = scaled_scores(mask="custom")
    mask_field(at).set_value("1 1 0 / 1 1 1 / 0 0 0")
    assert masked_scores(run(at)) == "110/111/000"
    assert describes(at, "1 of 3 rows has no visible key: its weights are all 0.")
    again = scaled_scores(mask="custom", custom_mask=link_of(at)["custom_mask"][0])
    assert masked_scores(again) == "110/111/000"
    at.button(key="mask_undo").click()
    assert masked_scores(run(at)) == "111/111/111"
    assert "custom_mask" not in link_of(at)
    at.button(key="mask_start_causal").click()
    assert masked_scores(run(at)) == "100/110/111"


def test_a_typed_mask_of_another_shape_is_explained_and_the_mask_stays(framed):
    at = scaled_scores(mask="custom", custom_mask="causal.2")
    mask_field(at).set_value("10/11")
    assert masked_scores(run(at)) == "100/110/111"
    (message,) = warning_texts(at)
    assert message == (
        "The mask has the shape (2, 2): allowed are (3, 3) for (seq, seq), (1, 3, 3) for (batch, seq, seq), (1, 1, 3) "
        "for (batch, 1, seq), (1, 4, 3, 3) for (batch, heads, seq, seq). The mask is as before."
    )
    assert mask_field(at).value == "10/11"
    mask_field(at).set_value("[[[1, 0, 1]]]")
    assert masked_scores(run(at)) == "101/101/101"
    assert (chosen(at, "custom_mask").axes, warning_texts(at)) == ("keys", [])


def test_a_mask_per_head_changes_only_that_head(framed):
    at = scaled_scores(mask="custom", head="2")
    at.selectbox(key=key_of(at, "mask_axes")).set_value("4")
    mask_field(run(at)).set_value("100/010/001")
    assert masked_scores(run(at)) == "100/010/001"
    assert chosen(at, "custom_mask").visible(np.ones((1, 3), bool), 4).sum(axis=(0, 2, 3)).tolist() == [9, 3, 9, 9]


def test_cells_of_tokens_that_are_gone_return_with_them(framed):
    mask = CustomMask("2", "all").with_visible(np.tri(3, dtype=bool), np.ones((1, 3), bool), 4)
    at = scaled_scores(mask="custom", custom_mask=format_mask(mask))
    at.text_area(key="text").set_value("a b")
    assert masked_scores(run(at)) == "10/11"
    assert describes(at, "2 changed cells belong to tokens, sentences or heads that do not exist now, and will return")
    at.text_area(key="text").set_value("a b c d")
    assert masked_scores(run(at)) == "1001/1101/1111/1111"


def test_a_mask_that_no_link_can_hold_is_refused(framed, monkeypatch):
    at = scaled_scores(mask="custom")
    monkeypatch.setattr("dashboard.state.user_changes.MAX_LENGTH", 8)
    mask_field(at).set_value("110/111/000")
    assert masked_scores(run(at)) == "111/111/111"
    assert re.match(r"This mask would need \d+ characters in the link, and at most 8 fit\.", warning_texts(at)[0])


@pytest.mark.parametrize("link", ["?", "padding.2", "causal.2.3x3.AAAA"])
def test_an_invalid_mask_of_a_link_is_reported(framed, link):
    at = scaled_scores(mask="custom", custom_mask=link)
    assert masked_scores(at) == "111/111/111"
    (message,) = warning_texts(at)
    assert message.startswith(f"The link has custom_mask = “{link}”; allowed ")
    assert message.endswith(" all.2 is used.")


@pytest.mark.parametrize("link", [{"encoder": "random"}, {"encoder": "nnx"}])
def test_every_page_with_rows_that_see_no_key(framed, stage, link):
    """No page shows NaN or infinity, and each says how many rows have no visible key."""
    mask = "causal.2.1x1.cwAA"  # the first token sees nothing
    name = "recipe_mask" if link["encoder"] == "nnx" else "mask"
    at = opened(stage, text=TEXT, custom_mask=mask, **{name: "custom"}, **link)
    assert warning_texts(at) == []
    assert describes(at, "has no visible key: its weights are all 0.")
    texts = [*rendered(at), *map(str, derivations(at))]
    assert not [text for text in texts if re.search(r"\b(nan|inf)\b", text.replace("| NaN: 0 / 0 | NaN |", ""), re.I)]


def test_a_recipe_has_its_own_mask_until_another_one_is_chosen(framed):
    at = scaled_scores(encoder="nanolm", mask="custom", custom_mask="nothing.2")
    assert masked_scores(at).startswith("1000000000/1100000000/")
    at.button_group(key="recipe_mask").set_value("custom")
    assert "1" not in masked_scores(run(at))
    assert describes(at, "Instead of the tutorial's mask, the one chosen below is used.")


def test_heads_are_measured_without_the_custom_mask(framed):
    at = opened(stage_named("full_stack"), view="What heads look at", mask="custom", custom_mask="nothing.2")
    assert describes(at, "The custom mask is not applied: it belongs to your text.")


def test_a_message_of_the_grid_sets_cells():
    mask = np.array([[True, True], [False, False]])
    assert _changed(mask, {"number": 7, "visible": [3], "hidden": [0]}).tolist() == [[False, True], [False, True]]
    forged = (None, [], {}, {"number": "7", "visible": [], "hidden": []}, {"number": 7, "visible": [4], "hidden": []},
              {"number": 7, "visible": [-1], "hidden": []}, {"number": 7, "visible": [True], "hidden": []},
              {"number": 7, "visible": 0, "hidden": []}, {"number": 7, "visible": []})  # fmt: skip
    assert [_changed(mask, message) for message in forged] == [None] * len(forged)
