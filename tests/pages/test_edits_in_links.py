"""Edits in a link that are incompatible or that overflow: a warning and the page, no exception."""

import pytest

from dashboard.inspect.edit_text import describe_edit, describe_ignored_edit, describe_reason
from dashboard.markdown import escape_message, plain_text
from dashboard.models.model import model_for
from dashboard.models.variants import with_edits
from dashboard.page_list import stage_named
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core.edits import parse_edit
from encoder_core.edits.compatible import ignored_edit
from tests.pages.app import chosen, figures, key_of, opened, rendered, run, warning_texts

GROWING = "~".join(f"residual.{layer}.{name}=1000" for layer in range(12) for name in ("attention", "mlp"))
PRE = {"norm": "pre", "layers": "12"}


def edits_in_bar(at):
    """The texts of the edits in the edit bar."""
    return [button.key.removeprefix("without_") for button in at.button if (button.key or "").startswith("without_")]


@pytest.mark.parametrize(
    ("page", "edits", "messages", "kept"),
    [
        ("softmax", "temperature=1000~temperature=1000", ["the same edit several times"], ["temperature=1000"]),
        (
            "softmax",
            "temperature=1000~temperature=999",
            [
                "“temperature 999” is ignored: temperature: 1000 × 999 = 999000 is invalid: "
                "allowed are numbers from 0.001 to 1000"
            ],
            ["temperature=1000"],
        ),
        (
            "softmax",
            "temperature=0.01~temperature=0.02~temperature=0.03~unscaled",
            ["“temperature 0.02” is ignored", "“temperature 0.03” is ignored"],
            ["temperature=0.01", "unscaled"],
        ),
        ("scaled_scores", "dropout.0~dropout.1", ["“dropout, seed 1” is ignored: 2 Dropout edits"], ["dropout.0"]),
        ("qkv", "~".join(["unscaled"] * 40), ["the same edit several times"], ["unscaled"]),
        ("qkv", "head.0.1=2~head.0.1=2.0~unscaled", ["the same edit several times"], ["head.0.1=2", "unscaled"]),
        (
            "multi_head",
            "head.1.0=1000~head.1.0=-2",
            ["“layer 2, head 1 × −2” is ignored: factor of layer 2, head 1: 1000 × -2 "],
            ["head.1.0=1000"],
        ),
    ],
)
def test_incompatible_edits_are_ignored_with_a_message(framed, page, edits, messages, kept):
    at = opened(stage_named(page), edits=edits)
    assert len(warning_texts(at)) == len(messages)
    for expected, message in zip(messages, warning_texts(at), strict=True):
        assert expected in message
    assert edits_in_bar(at) == kept
    assert list(figures(at))


@pytest.mark.parametrize(
    ("edit", "choices", "sentence"),
    [
        ("head.3.0=0", {"layers": "2"}, "“layer 4, head 1 off” is ignored: there are 2 layers."),
        ("head.0.2=0", {"heads": "1"}, "“layer 1, head 3 off” is ignored: there is 1 head."),
        ("score.0.0.0.15.2=5", {"text": "The cat sat"},
         "“score token 16 → 3 · sat, layer 1, head 1 = 5” is ignored: there are 3 tokens."),
        ("hide.2.0", {}, "“sentence 3, token 1 is hidden as key” is ignored: there are 2 sentences."),
        ("hide.0.40", {}, "“sentence 1, token 41 is hidden as key” is ignored: there are 20 tokens in a sentence."),
        ("token.0.1=900", {"text": "*a* cat"},
         "“2 · a becomes id 900” is ignored: there are 5 tokens in the vocabulary."),
        ("token.0.5=1", {"text": "*a* cat"}, "“token 6 becomes "),
        ("token_embedding.900.1=2", {}, "“E[id 900, 1] = 2” is ignored: there are"),
        ("embedded.0.0.70=2", {"text": "*a*", "d_model": "64"},
         "“embedded[1 · *, 70] = 2” is ignored: there are 64 dimensions."),
        ("wq.0.0.3.20=1", {"d_model": "64", "heads": "4"},
         "“W_Q of layer 1, head 1 [3, 20] = 1” is ignored: there are 16 columns."),
        ("wo.0.0.20.3=1", {"d_model": "64", "heads": "4"},
         "“W_O of layer 1, head 1 [20, 3] = 1” is ignored: there are 16 rows."),
        ("score.0.0.0.0.0=10000000", {"text": "cat"},
         "“score 1 · cat → 1 · cat, layer 1, head 1 = 1e7” is ignored: value=10000000.0 is invalid"),
    ],
)  # fmt: skip
def test_an_edit_of_a_part_that_the_model_does_not_have_is_named_as_in_the_bar(framed, edit, choices, sentence):
    at = opened(stage_named("scaled_scores"), edits=edit, **choices)
    (message,) = warning_texts(at)
    assert f"The edit {sentence}" in plain_text(message)
    assert chosen(at, "edits") == (edit,)  # it stays for a model that has the part


def test_only_tokens_are_shortened_in_the_edit_bar(framed):
    text = "Donaudampfschiff\nto"
    at = opened(stage_named("qkv"), text=text, edits="embedded.0.0.3=40~token_embedding.2.3=9~hide.0.0")
    labels = [plain_text(button.label) for button in at.button if (button.key or "").startswith("without_")]
    assert labels == [
        "embedded[sentence 1, 1 · Donaudampfs…, 3] = 40",
        "E[Donaudampfs…, 3] = 9",
        "sentence 1, 1 · Donaudampfs… is hidden as key",
    ]


def test_a_replaced_token_of_a_recipe_is_labelled_like_the_others(framed):
    at = opened(stage_named("qkv"), encoder="nanolm", edits="token.0.2=5")
    (label,) = [plain_text(button.label) for button in at.button if (button.key or "").startswith("without_")]
    assert label == "sentence 1, 3 · id 51 becomes id 5"
    assert next(figures(at))["rows"]["names"][:4] == ["id 85", "id 63", "id 5", "id 26"]


def test_a_repeated_edit_has_one_button(framed):
    at = opened(stage_named("qkv"), edits="~".join(["unscaled"] * 40))
    next(button for button in at.button if button.key == "without_unscaled").click()
    run(at)
    assert (edits_in_bar(at), warning_texts(at)) == ([], [])


def test_edits_that_overflow_are_ignored_newest_first(framed, stage):
    at = opened(stage, edits=GROWING, **PRE)
    kept = edits_in_bar(at)
    assert 3 < len(kept) < 24
    assert kept == GROWING.split("~")[: len(kept)]
    assert len(warning_texts(at)) == 24 - len(kept)
    assert all(
        "is ignored: These edits make numbers too large for 32-bit floats" in message for message in warning_texts(at)
    )


@pytest.mark.parametrize("page", ["qkv", "softmax", "scaled_scores", "weighted_values", "full_stack", "add_and_norm"])
def test_the_largest_allowed_numbers_are_shown(framed, page):
    """The score is far beyond 1e6, the maximum of the number field."""
    texts = ["embedded.0.0.0=1e6", "embedded.0.1.0=-1e6", "temperature=0.001"]
    texts += [f"{name}.0.0.0.0=1e6" for name in ("wq", "wk", "wv", "wo")]
    at = opened(stage_named(page), edits="~".join(texts), cell="scores.0.0.0.0.0", **PRE)
    assert warning_texts(at) == []
    assert len(edits_in_bar(at)) == len(texts)
    assert abs(at.number_input(key="what_if_number").value) == 1e6


def test_the_softmax_page_ignores_its_temperature_if_the_product_is_not_allowed(framed):
    at = opened(stage_named("softmax"), edits="temperature=1000")
    at.select_slider(key=key_of(at, "temperature")).set_value(10.0)
    run(at)
    (message,) = warning_texts(at)
    assert (
        "The temperature of this page is ignored: temperature: 1000 × 10 = 10000 is invalid: allowed are numbers "
        "from 0.001 to 1000" in message
    )
    assert any(r"T = 1000" in text.value for text in at.latex)
    at.select_slider(key=key_of(at, "temperature")).set_value(0.5)
    run(at)
    assert warning_texts(at) == []
    assert any(r"T = 500" in text.value for text in at.latex)


def test_the_other_norm_is_compared_without_the_edits_that_overflow(framed):
    """Post-norm allows all 24 factors of 1000; pre-norm overflows."""
    at = opened(stage_named("add_and_norm"), edits=GROWING, layers="12")
    assert warning_texts(at) == []
    problems = [plain_text(text) for text in rendered(at) if "With pre-norm: The edit “residual" in text]
    assert problems
    assert all(" around " in text and "layer=" not in text for text in problems)
    assert any("“residual around attention 12 × 1,000” is ignored: " in text for text in problems)


def test_the_reason_why_an_edit_is_ignored_counts_layers_and_heads_from_1():
    """The messages of the core count from 0, and can contain signs of markdown."""
    model = model_for(Settings.from_state(DEFAULTS))
    for message, reason in (
        ("norm2 of layer=3 reads 3e38.", "norm2 of layer 4 reads 3e38."),
        ("factor of layer=11, head=0: 2", "factor of layer 12, head 1: 2"),
        ("factor of layer=0, sublayer='mlp': 2", "factor of layer 1, feed-forward: 2"),
    ):
        problem = ignored_edit(parse_edit("residual.3.mlp=1000"), ValueError(message))
        text = describe_ignored_edit(problem, model)
        assert plain_text(text) == f"The edit “residual around feed-forward 4 × 1,000” is ignored: {reason}"
    assert describe_reason(ignored_edit(parse_edit("dropout.1"), ValueError("*a*")), model) == escape_message("*a*")


def test_two_rates_of_dropout_are_told_apart():
    model = model_for(Settings.from_state(DEFAULTS))
    labels = [describe_edit(parse_edit(text), model) for text in ("dropout.3", "dropout.3=0.5", "dropout.3=0.99999")]
    assert labels == ["dropout, seed 3", "dropout, seed 3, rate 0.5", "dropout, seed 3, rate 0.99999"]


def test_a_model_reports_the_edits_that_it_ignores():
    model = model_for(Settings.from_state(DEFAULTS | {"norm": "pre", "layers": 12}))
    edits = tuple(parse_edit(text) for text in ["token.0.0=5", *GROWING.split("~")])
    edited = with_edits(model, edits)
    assert edited.edits == edits[: len(edited.edits)] == edited.run.edits
    assert len(edited.edit_problems) == len(edits) - len(edited.edits) > 0
    assert edited.batch.ids[0, 0] == 5 != model.batch.ids[0, 0]
    assert edited.batch.tokens == edited.trace.tokens
    assert with_edits(model, edits[:1]).edit_problems == ()
