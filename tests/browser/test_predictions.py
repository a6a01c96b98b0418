"""Clicks on predictions: a cell selects its position and its token, a neuron its derivation."""

from playwright.sync_api import expect

from encoder_core.analysis import logit_lens, neuron_contributions, top_tokens
from encoder_core.training.shipped import trained_encoder

WORD = "encoder"


def test_clicks_on_predicted_tokens_the_lens_and_contributions(screen):
    encoder = trained_encoder("reverse")
    run = encoder.run(encoder.tokenizer([WORD]), "padding")
    second = top_tokens(run.trace.logits[0]).ids[2, 1]
    screen.open("full_stack", encoder="reverse", input=WORD, view="Predicted tokens")
    texts = screen.page.evaluate("document.querySelector('.js-plotly-plot').data[0].text.map(row => row[0])")
    assert [text.split(":")[0] for text in texts] == list(reversed(WORD))
    with screen.rerun():
        screen.page.mouse.click(*screen.place(0, 2, 1))
    assert screen.parameters["token"] == ["3"]
    assert screen.parameters["output_id"] == [str(second)]
    assert screen.parameters["cell"] == [f"probabilities.0.2.{second}"]
    with screen.rerun():
        screen.page.get_by_role("radio", name="Logit lens").click()
    with screen.rerun():
        screen.page.mouse.click(*screen.place(0, 4, 1))
    assert screen.parameters["token"] == ["5"]
    likely = logit_lens(run)[1, 4].argmax()
    assert screen.parameters["output_id"] == [str(likely)]
    assert screen.parameters["cell"] == [f"resid_post_lens_probabilities.0.0.4.{likely}"]
    expect(screen.page.locator(".ew-result")).to_contain_text("Logit lens after the layer")
    with screen.rerun():
        screen.page.get_by_role("radio", name="Logit attribution").click()
    with screen.rerun():
        screen.page.mouse.click(*screen.place(0, 1, 1))
    assert [screen.parameters[name] for name in ("layer", "head")] == [["2"], ["2"]]
    token_id = int(screen.parameters["output_id"][0])
    largest = abs(neuron_contributions(run, 4, token_id, 1).neurons).argmax()
    with screen.rerun():
        screen.page.mouse.click(*screen.place(3, 0, 0))
    assert screen.parameters["cell"] == [f"mlp_act.1.0.4.{largest}"]
    expect(screen.page.locator(".ew-result")).to_contain_text("layer 2")
