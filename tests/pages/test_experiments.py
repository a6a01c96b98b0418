"""The experiments page: prediction, result, controls and links."""

import re

import pytest

from dashboard.page_list import page_named
from encoder_core.experiments import experiments
from tests.core.experiments.test_experiments import ANSWERS, VERDICTS
from tests.pages.app import figures, key_of, link_of, opened, rendered, run, warning_texts

PAGE = page_named("experiments")


def texts(at):
    """What is written on the page, without the links of explained terms."""
    return re.sub(r"\[([^]]+)\]\(#term-[^)]+\)", r"\1", "\n".join(rendered(at)))


@pytest.mark.parametrize("name", experiments())
def test_the_result_is_hidden_until_a_prediction(framed, name):
    experiment = experiments()[name]
    at = opened(PAGE, experiment=name)
    assert experiment.claim in texts(at)
    assert not experiment.given or experiment.given(experiment.default_setup) in texts(at)
    assert experiment.hypothesis not in texts(at)  # it answers the question of many
    assert "Measured" not in texts(at)
    assert not list(figures(at))
    for number in range(1, len(experiment.options) + 1):
        at.button(key=f"predict {name} {number}").click()
        run(at)
        assert link_of(at)["prediction"] == [str(number)]
        assert "Measured" in texts(at)
        assert experiment.hypothesis in texts(at)
        assert f"The claim {VERDICTS.get(name, 'holds')} in this setup" in texts(at)
        assert list(figures(at))
        praised = [box.value for box in at.success]
        right = number == ANSWERS[name] + 1
        assert bool(praised) == right
        at.button(key="predict again").click()
        assert "Measured" not in texts(run(at))


def test_only_the_users_own_prediction_for_this_setup_is_judged(framed):
    link = {"experiment": "token-mixing", "prediction": "3"}
    shown = texts(opened(PAGE, **link))
    assert "You predicted" not in shown
    assert "**All rows.**" in shown
    at = opened(PAGE, experiment="token-mixing")
    at.button(key="predict token-mixing 3").click()
    run(at)
    assert "You predicted “All rows”, and so it is." in texts(at)
    at.button_group(key=key_of(at, "setup_token-mixing_mask")).set_value("causal")
    run(at)
    assert link_of(at)["prediction"] == ["3"]
    assert "You predicted" not in texts(at)  # the question was about another mask
    assert "**Its own row and all later ones.**" in texts(at)


def test_a_control_is_in_the_link_and_a_link_shows_the_same(framed):
    at = opened(PAGE, experiment="word-order", prediction="0")
    assert "same vectors in the new order" in texts(at)
    at.button_group(key=key_of(at, "setup_word-order_positions")).set_value("sinusoidal")
    run(at)
    assert link_of(at)["setup"] == ["positions=sinusoidal"]
    assert "because of the positions" in texts(at)
    again = opened(PAGE, experiment="word-order", prediction="0", setup="positions=sinusoidal")
    assert texts(again) == texts(at)


@pytest.mark.parametrize("value", [-10, -1, 0, 10])
def test_numbers_below_zero_are_in_links_too(framed, value):
    at = opened(PAGE, experiment="padding", prediction="0", setup=f"pad_value={value}")
    assert warning_texts(at) == []
    number = str(value).replace("-", "−")
    assert f"all {number}," in texts(at)
    assert f"with the value {number} follow" in texts(at)


def test_another_experiment_has_its_defaults_and_asks_first(framed):
    at = opened(PAGE, experiment="word-order", prediction="1", setup="mask=causal")
    at.button(key="experiment_arrow_forward").click()
    run(at)
    assert link_of(at) == {"experiment": ["token-mixing"]}
    assert "**Predict** —" in texts(at)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"experiment": "nothing"}, "The link has experiment = “nothing”; allowed are one-hot-lookup"),
        ({"setup": "d_k=5"}, "The link has setup = “d_k=5”"),
        ({"setup": "width=<b>"}, "The link has setup = “width=<b>”"),
        ({"prediction": "9"}, "The link has prediction = “9”; allowed are 0 (skipped) to 4."),
        ({"prediction": "x"}, "The link has prediction = “x”; allowed are whole numbers from 0."),
    ],
)
def test_a_bad_link_is_answered_with_a_sentence(framed, link, message):
    at = opened(PAGE, **{"experiment": "score-scaling"} | link)
    assert any(sentence.startswith(message) for sentence in warning_texts(at)), warning_texts(at)
    assert "**Predict** —" in texts(at)


def test_word_order_names_the_mask_as_a_condition(framed):
    """The causal mask alone changes the outputs, as the page measures."""
    shown = texts(opened(PAGE, experiment="word-order", prediction="0", setup="mask=causal"))
    assert "because of the causal mask" in shown
    assert "without positions." not in shown
    assert "Without positions an encoder" not in shown
    assert shown.count("without a mask that depends on the order") == 2  # claim and limits


def test_a_control_without_an_effect_is_disabled(framed):
    """The seed is that of random rows."""
    seed = "setup_sinusoids_seed"
    at = opened(PAGE, experiment="sinusoids")
    assert at.select_slider(key=key_of(at, seed)).disabled
    at.button_group(key=key_of(at, "setup_sinusoids_positions")).set_value("random")
    run(at)
    assert not at.select_slider(key=key_of(at, seed)).disabled
