"""Settings: the allowed values, and the defaults for all others. The expected values are computed by hand."""

from dataclasses import FrozenInstanceError

import pytest

from dashboard.state.setting_parameters import DEFAULT_TEXT, DEFAULTS, OPTIONS
from dashboard.state.settings import Settings, nearest_d_model
from dashboard.state.text import truncate_text
from encoder_core.inputs.custom_mask import CustomMask


@pytest.mark.parametrize(
    ("width", "heads", "direction", "nearest"),
    [
        (64, 4, 0, 64),
        (64, 4, 1, 64),  # an allowed width stays, in any direction
        (64, 4, -1, 64),
        (64, 3, 0, 60),  # multiples of 4 and 3: 12, 24, ... 60, 72
        (64, 3, 1, 72),
        (64, 3, -1, 60),
        (68, 3, 0, 72),
        (12, 8, 0, 8),  # 8 and 16 are equally near: the smaller
        (12, 8, 1, 16),
        (12, 8, -1, 8),
        (4, 16, 0, 16),
        (4, 16, -1, 16),  # nothing below: the nearest above
        (256, 15, 0, 240),
        (256, 15, 1, 240),  # nothing above: the nearest below
        (128, 13, 0, 104),  # multiples of 52: 104 is 24 away, 156 is 28
        (128, 13, 1, 156),
    ],
)
def test_nearest_d_model(width, heads, direction, nearest):
    assert nearest_d_model(width, heads, direction) == nearest


@pytest.mark.parametrize("heads", OPTIONS["heads"])
def test_the_nearest_d_model_is_allowed_for_every_width_and_number_of_heads(heads):
    for width in OPTIONS["d_model"]:
        for direction in (-1, 0, 1):
            nearest = nearest_d_model(width, heads, direction)
            assert nearest in OPTIONS["d_model"]
            assert nearest % heads == 0


def test_a_text_within_the_limits_is_not_changed():
    for text in ("", "a", " a \n\n b ", "x" * 2_000, "\n".join("abcdefgh"), "\n" * 100):
        assert truncate_text(text) == (text, None)


def test_a_text_beyond_the_limits_is_cut_with_a_message():
    assert truncate_text("x" * 2_001) == ("x" * 2_000, "The text had 2,001 characters; the first 2,000 are kept.")
    assert truncate_text("\n".join("abcdefghi")) == (
        "\n".join("abcdefgh"),
        "The text had 9 lines; the first 8 are kept, one sentence a line.",
    )
    text, message = truncate_text("word\n" * 20_000)
    assert text == "\n".join(["word"] * 8)
    assert message == "The text had 100,000 characters; the first 2,000 are kept."


def test_defaults_are_allowed():
    for key, options in OPTIONS.items():
        assert DEFAULTS[key] in options
    assert Settings.from_state({}) == Settings(**DEFAULTS)


def test_allowed_values_are_used():
    state = {
        "encoder": "random", "variant": "as intended",
        "run": None, "checkpoint": None, "train_task": "reverse",
        "text": "a\nb", "input": "", "seed": 7, "d_model": 48, "heads": 3, "d_ff": 8, "layers": 12, "norm": "pre",
        "activation": "gelu", "positions": "learned", "scale": "sqrt_d", "mask": "both", "recipe_mask": "tutorial",
        "custom_mask": CustomMask(), "scaled": False, "bias": False,
    }  # fmt: skip
    assert Settings.from_state(state | {"focus": {}, "predict": "yes"}) == Settings(**state)


@pytest.mark.parametrize("value", [None, "", "64", "junk", -1, 3.5, 10**30, float("nan"), [], {}, object(), "\x00"])
def test_an_invalid_value_becomes_the_default(value):
    state = dict.fromkeys(OPTIONS, value)
    assert Settings.from_state(state) == Settings(**DEFAULTS)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\x00", "\u200d"])
def test_a_text_without_a_word_becomes_the_default(text):
    assert Settings.from_state({"text": text}).text == DEFAULT_TEXT


def test_the_example_is_one_sentence_of_the_default_text():
    settings = Settings.from_state({})
    assert settings.example == settings.sentences[0]


def test_a_width_that_heads_do_not_divide_becomes_the_nearest():
    assert Settings.from_state({"d_model": 64, "heads": 7}).d_model == 56


def test_settings_are_hashable_and_frozen():
    one, other = Settings.from_state({}), Settings.from_state({"seed": 0})
    assert hash(one) == hash(other)
    with pytest.raises(FrozenInstanceError):
        one.seed = 1


def test_sentences_are_lines_that_are_not_blank():
    assert Settings.from_state({"text": " one \n\n \t\ntwo words\r\nthree"}).sentences == ["one", "two words", "three"]


@pytest.mark.parametrize(
    ("mask", "name"), [("none", None), ("padding", "padding"), ("causal", "causal"), ("both", "causal+padding")]
)
def test_mask_name(mask, name):
    assert Settings.from_state({"mask": mask}).mask_name == name


def test_a_custom_mask_that_is_not_in_use_is_no_part_of_the_settings():
    own = CustomMask("2", "causal")
    settings = Settings.from_state({"mask": "custom", "custom_mask": own})
    assert (settings.custom_mask, settings.without_custom_mask) == (own, Settings(**DEFAULTS))
    assert Settings.from_state({"mask": "causal", "custom_mask": own}) == Settings.from_state({"mask": "causal"})
    recipe = {"encoder": "nnx", "mask": "custom", "custom_mask": own}
    assert Settings.from_state(recipe) == Settings.from_state({"encoder": "nnx"})
    assert Settings.from_state(recipe | {"recipe_mask": "custom"}).custom_mask == own


def test_config():
    state = {"d_model": 24, "heads": 3, "d_ff": 16, "layers": 2, "bias": False, "scaled": False, "scale": "inv_sqrt_d"}
    config = Settings.from_state(state).config(11)
    assert (config.vocab_size, config.max_len, config.d_model, config.num_heads, config.d_head) == (11, 64, 24, 3, 8)
    assert (config.d_ff, config.num_layers, config.use_bias, config.scale_scores) == (16, 2, False, False)
    assert (config.norm, config.final_norm, config.embedding_scale) == ("post", False, "inv_sqrt_d")
    pre = Settings.from_state({"norm": "pre", "positions": "concatenated"}).config(11)
    assert (pre.norm, pre.final_norm) == ("pre", True)
    assert (pre.positions, pre.position_layout) == ("sinusoidal", "concatenated")
    other = Settings.from_state({"positions": "learned"}).config(11)
    assert (other.positions, other.position_layout) == ("learned", "interleaved")
