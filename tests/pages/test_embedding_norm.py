"""An encoder with an embedding norm: the input of the first layer is the norm of embedding plus position, on every page
that shows or explains it."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from dashboard.models import loading
from dashboard.page_list import stage_named
from dashboard.state.choices import DETAILS
from dashboard.state.offered_encoders import OFFERED
from dashboard.state.parameter import PARAMETERS, parse_option
from dashboard.state.setting_parameters import OPTIONS, SETTINGS
from encoder_core import Encoder, SetEmbedded
from encoder_core.explain.first_input import first_input_with_positions
from encoder_core.inputs.positions import sinusoids
from tests.core.pretrained.tiny import save_tiny
from tests.pages.app import cards, derivations, figures, key_of, opened, rendered, run

TEXT = "The cat sat, walking on the cat"
EDIT = SetEmbedded(0, 2, 1, 0.7)
NORMED = "× γ + β = embedded"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def bert(folder, framed, monkeypatch):
    """A small BERT that the sidebar offers as "bert"."""
    monkeypatch.setitem(OFFERED, "bert", str(folder))
    encoders = (*OPTIONS["encoder"], "bert")
    monkeypatch.setitem(OPTIONS, "encoder", encoders)
    widened = replace(SETTINGS["encoder"], parse=lambda text: parse_option(text, encoders))
    monkeypatch.setitem(SETTINGS, "encoder", widened)
    monkeypatch.setitem(PARAMETERS, "encoder", widened)
    monkeypatch.setitem(loading._LOADERS, str(folder), loading.EncoderLoader(str(folder)))
    return {"encoder": "bert", "text": TEXT}


@pytest.fixture(scope="module")
def encoder(folder):
    return Encoder.pretrained(folder)


def run_with(encoder, *edits):
    return encoder.run(TEXT, "padding", edits)


def matrices(at):
    """The heatmaps of a page by their titles."""
    heatmaps = {}
    for figure in figures(at):
        z = figure["data"][0].get("z")
        if z:
            shape = [int(size) for size in z["shape"].split(",")]
            array = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(shape)
            heatmaps.setdefault(figure["title"], array)
    return heatmaps


def test_the_sum_and_its_norm_are_those_of_the_engine(bert, encoder):
    at = opened(stage_named("positions"), **bert)
    trace, heatmaps = encoder.trace(TEXT, "padding"), matrices(at)
    np.testing.assert_array_equal(heatmaps["embedding sum"], trace.embedding_sum[0])
    np.testing.assert_allclose(
        heatmaps["scaled embedding"] + heatmaps["position"], heatmaps["embedding sum"], atol=1e-6
    )
    np.testing.assert_array_equal(heatmaps[NORMED], trace.embedded[0])
    normalised = heatmaps["(sum − mean) / √variance"]
    np.testing.assert_allclose(normalised.mean(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(normalised.var(axis=1), 1, atol=1e-5)
    assert "embedded" not in heatmaps
    assert any("recomputed, max Δ" in text and "green" in text for text in rendered(at))


def test_formula_code_and_tables_have_the_norm(bert, encoder):
    at = opened(stage_named("positions"), **bert)
    assert r"= \mathrm{norm}\bigl(" in at.latex[1].value
    at.session_state["session"].set(DETAILS, "Code")
    assert "def layer_norm" in run(at).code[0].value
    assert "embedded = layer_norm(embedding_sum, gamma, beta, config.norm_eps)" in at.code[0].value
    (group,) = [group for group in at.button_group if group.key.startswith("numbers")]
    trace = encoder.trace(TEXT, "padding")
    for name in ("embedding sum", "embedded"):
        group.set_value(name)
        run(at)
        np.testing.assert_allclose(
            at.dataframe[0].value.to_numpy(), getattr(trace, name.replace(" ", "_"))[0], atol=1e-6
        )
        (group,) = [group for group in at.button_group if group.key.startswith("numbers")]


def test_the_derivation_of_an_embedded_cell_passes_the_norm_and_the_sum(bert):
    at = opened(stage_named("positions"), token="3", **bert)
    (derivation,) = derivations(at)
    assert [crumb["cell"] for crumb in derivation["trail"]] == ["embedded.0.2.0"]
    assert [step["name"] for step in derivation["steps"]][-1] == "scale and shift"
    assert derivation["difference"] < 1e-5
    assert derivation["steps"][0]["terms"][0]["operands"][0]["cell"].startswith("embedding_sum.0.2.")
    at = opened(stage_named("positions"), cell="embedded.0.2.1~embedding_sum.0.2.1", **bert)
    (derivation,) = derivations(at)
    assert [step["name"] for step in derivation["steps"]] == ["embedding plus position"]
    assert derivation["difference"] < 1e-6
    assert not at.warning


def test_another_encoding_passes_the_same_norm(bert, encoder):
    """Edits apply as well."""
    at = opened(stage_named("positions"), edits="embedded.0.2.1=0.7", **bert)
    at.segmented_control(key=key_of(at, "encoding")).set_value("sinusoidal")
    run(at)
    edited_run = run_with(encoder, EDIT)
    expected, heatmaps = (
        first_input_with_positions(edited_run, sinusoids(edited_run.trace.embedded.shape[1], 12)).for_sentence(0),
        matrices(at),
    )
    np.testing.assert_allclose(heatmaps[NORMED], expected.embedded, atol=1e-6)
    assert heatmaps[NORMED][2, 1] == np.float32(0.7)
    assert np.abs(heatmaps[NORMED] - edited_run.trace.embedded[0]).max() > 0.1
    assert "Input of the first layer if the model used this encoding" in [element.value for element in at.header]
    assert any("This model uses: learned table.]" in text for text in rendered(at))


def test_an_edited_input_of_the_first_layer(bert, encoder):
    at = opened(stage_named("positions"), edits="embedded.0.2.1=0.7", cell="embedded.0.2.1", **bert)
    trace, heatmaps = run_with(encoder, EDIT).trace, matrices(at)
    np.testing.assert_array_equal(heatmaps[NORMED], trace.embedded[0])
    np.testing.assert_array_equal(heatmaps["embedding sum"], encoder.trace(TEXT, "padding").embedding_sum[0])
    np.testing.assert_allclose(heatmaps["embedded before"], encoder.trace(TEXT, "padding").embedded[0], atol=1e-6)
    (derived,) = derivations(at)
    assert [step["name"] for step in derived["steps"]][-2:] == ["scale and shift", "set by hand"]
    assert derived["trace_value"] == np.float32(0.7)
    assert any("recomputed, max Δ" in text and "green" in text for text in rendered(at))
    at.number_input(key=key_of(at, "what_if_number")).set_value(-1.5)
    run(at)
    assert matrices(at)[NORMED][2, 1] == -1.5


@pytest.mark.parametrize(
    "cell",
    ["parameters.embedding_norm.scale.3", "parameters.embedding_norm.bias.3", "parameters.token_embedding.19.3",
     "parameters.position_embedding.3.3", "ids.0.2", "embedding_sum.0.2.3", "position_encoding.3.3"],
)  # fmt: skip
def test_an_edit_while_another_cell_is_inspected(bert, cell):
    at = opened(stage_named("positions"), edits="embedded.0.2.1=0.7~token_embedding.5.3=2", cell=cell, **bert)
    assert derivations(at)[0]["trail"][0]["cell"] == cell
    assert not at.warning


def test_the_map_has_the_norm_in_its_formula_and_its_cards(bert):
    at = opened(stage_named("map"), **bert)
    titles = [card["title"] for card in cards(at)]
    assert titles[:5] == ["tokens", "embedding", "+ positions", "= sum", "norm = embedded"]
    assert r"} &= \mathrm{norm}(\overbrace{E}^{" in at.latex[1].value


def test_the_embedding_page_explains_the_effect_of_the_norm_on_the_scale(bert):
    texts = " ".join(rendered(opened(stage_named("embedding"), **bert)))
    assert "This model normalises the sum of rows and positions" in texts
    assert "More choices" not in texts


def test_every_page_runs_with_an_edited_input_of_the_first_layer(bert, stage):
    at = opened(stage, edits="embedded.0.2.1=0.7", **bert)
    assert not at.warning
    assert all(derivation["difference"] is None or derivation["difference"] < 1e-5 for derivation in derivations(at))


def test_without_the_norm_no_page_mentions_it(framed):
    for name in ("positions", "map", "embedding"):
        at = opened(stage_named(name))
        texts = [*rendered(at), *matrices(at), *[card["title"] for card in cards(at)], *[c.value for c in at.code]]
        for words in (
            "LayerNorm of the sum",
            "embedding norm",
            "embedding sum",
            "normalises",
            "= sum",
            "def layer_norm",
        ):
            assert not any(words in text for text in texts), (name, words)
    start = r"\underbrace{x_0}_{20\times64} &= \overbrace{E}^{30\times64}[\mathrm{ids}]"
    assert rf"{start} + \underbrace{{P}}_{{20\times64}} " in opened(stage_named("map")).latex[1].value
