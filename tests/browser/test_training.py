"""A training run in a real browser: start, pause, reload, the end, and its encoder in the walkthrough."""

import re

from playwright.sync_api import expect

from tests.browser.screen import Screen

SMALL = {"train_task": "copy", "train_d_model": 16, "train_d_ff": 16, "train_num_layers": 1, "train_num_heads": 2,
         "train_batch": 16, "train_steps": 8000}  # fmt: skip
COMPILING = 120_000  # milliseconds


def test_a_run_survives_a_pause_and_a_reload_and_opens_in_the_walkthrough(screen: Screen):
    page = screen.page
    page.goto(f"{screen.url}/training?{'&'.join(f'{name}={value}' for name, value in SMALL.items())}")
    progress = page.locator(".st-key-training_progress")
    page.get_by_role("button", name="Run", exact=False).first.click()
    expect(progress).to_contain_text("steps per second", timeout=COMPILING)
    page.get_by_role("button", name="Pause").press("Enter")
    expect(progress).to_contain_text("paused")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    screen.come_to_rest()
    text = re.search(r"step [\d,]+ of 8,000", progress.inner_text())
    page.reload()
    screen.arrived("training")
    expect(progress).to_contain_text(text[0])
    assert screen.parameters["run"]
    page.get_by_role("button", name="Stop").click()
    expect(progress).to_contain_text("stopped")
    screen.come_to_rest()
    page.get_by_role("button", name="in the walkthrough").click()
    screen.arrived("multi_head")
    assert (screen.parameters["encoder"], screen.parameters["input"]) == (["checkpoint"], ["encoder"])
    assert [plot["rows"] for plot in screen.plots() if plot["title"].startswith("weights of all heads")] == [
        list("encoder")
    ]
    step = screen.slider("Checkpoint").get_attribute("aria-valuetext")
    with screen.rerun():
        screen.slider("Checkpoint").press("ArrowLeft")
    assert screen.slider("Checkpoint").get_attribute("aria-valuetext") != step
