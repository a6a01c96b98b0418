"""Sidebar, URL and page describe one state in the real browser, whatever is done, and in quick succession."""

import random

import numpy as np
import pytest
from playwright.sync_api import expect

from benchmarks.visit import PLOT
from dashboard.selection.focus import DEFAULT_WORDS, PARTS
from dashboard.state.edit_history import EDITS
from dashboard.state.parameter import PARAMETERS
from dashboard.state.session import Session
from encoder_core import WordTokenizer
from tests.browser.conftest import PHONE
from tests.browser.engine import scaled_scores, trace_of
from tests.browser.screen import visitor

OTHER_TEXT = "it sleeps on the black sofa"


@pytest.fixture(scope="module")
def phones(browser, server, tab):
    """A tab of a phone, one for all tests. (`tab` has warmed up.)"""
    with visitor(browser, server, viewport=PHONE, color_scheme="light") as screen:
        yield screen


@pytest.fixture
def phone(phones):
    """The tab of a phone. A page that is loaded in it opens with the sidebar closed."""
    yield phones
    assert phones.new_faults() == []


def text_field(screen):
    return screen.page.locator("[data-testid=stSidebar] textarea")


def default_number(state, part):
    """The number of the word that is selected at first: of the default words, or else the first of the sentence."""
    sentence = state.get(PARAMETERS["text"]).split("\n")[state.get(PARAMETERS["sentence"]) - 1]
    words = [word.casefold() for word in WordTokenizer.from_texts([sentence])([sentence]).tokens[0]]
    place = next((words.index(word) for word in DEFAULT_WORDS[part] if word in words), 0)
    return place + (2 if state.get(PARAMETERS["encoder"]) == "minilm" else 1)  # [CLS] stands before it


def agree(screen):
    """What the URL says is what the sidebar, the pickers and the numbers on the page say. Returns what it says."""
    state = Session()
    state.read_link(screen.page.url.partition("?")[2])
    assert state.query() == screen.page.url.partition("?")[2]
    if text_field(screen).count():
        assert text_field(screen).input_value() == state.get(PARAMETERS["text"])
    for label in ("d_model", "heads", "layers", "d_ff"):
        slider = screen.slider(label)
        if slider.count() and slider.is_enabled():
            assert screen.says(label) == state.get(PARAMETERS[label])
    for part in PARTS:
        if screen.page.locator(f".st-key-{part}, [class*='st-key-{part}-']").count():
            number = screen.looked_at(part).partition(" · ")[0]
            assert number == str(state.get(PARAMETERS[part]) or default_number(state, part)), part
    return state


@pytest.mark.parametrize("attempt", range(3))
def test_a_text_that_is_left_by_a_click_on_a_heatmap(phone, attempt):
    """On a phone the sidebar covers the page: a tap beside it commits the text and hits a heatmap at once."""
    screen = phone.open("scaled_scores")
    screen.page.get_by_test_id("stExpandSidebarButton").click()
    text_field(screen).fill(OTHER_TEXT)
    x, y = screen.place(0, 2 + attempt, 15)  # of the dot products: a phone shows one figure at a time
    screen.page.mouse.click(max(x, PHONE["width"] - 20), y)
    screen.come_to_rest()
    state = agree(screen)
    assert state.get(PARAMETERS["text"]) == OTHER_TEXT
    assert state.get(EDITS) == ()
    _, _, dots, _, _ = scaled_scores(trace_of(OTHER_TEXT), 1, 1)
    screen.shows(dots)


@pytest.mark.parametrize(("slider", "chosen"), [("layers", 3), ("d_model", 60)])
def test_a_slider_and_a_click_before_its_answer(screen, slider, chosen):
    """With another d_model, the number in the edit field is another: its old value must not become an edit."""
    screen.open("scaled_scores")
    x, y = screen.place(2, 5, 3)
    screen.slider(slider).press("ArrowLeft")
    screen.page.mouse.click(x, y)
    screen.come_to_rest()
    state = agree(screen)
    assert (state.get(PARAMETERS[slider]), state.get(EDITS)) == (chosen, ())
    screen.shows(*scaled_scores(trace_of(**{slider: chosen}), 1, 1))


_PRESS = """([clientX, clientY]) => {
    const target = document.elementFromPoint(clientX, clientY);
    const at = { clientX, clientY, bubbles: true, isPrimary: true };
    target.dispatchEvent(new MouseEvent("mousemove", at));
    target.dispatchEvent(new PointerEvent("pointerdown", at));
    target.dispatchEvent(new MouseEvent("mousedown", at));
    return () => document.dispatchEvent(new MouseEvent("mouseup", at));
}"""
_CLICK_IN_A_ROW = f"places => places.forEach(place => ({_PRESS})(place)())"
_CLICK_DURING_A_PAINT = f"""async place => {{
    const {{ plotLine: line }} = document.querySelector(".ew-plot");
    const release = ({_PRESS})(place);
    for (const elements of line.panelElements) elements.paintedState = "";
    line.showFigure(line.shown);
    await line.paintQueue;
    release();
}}"""


def test_two_clicks_that_a_busy_page_handles_in_a_row(screen):
    """Plotly looks for the cell under the mouse at most every 50 ms."""
    screen.open("scaled_scores")
    screen.page.evaluate(_CLICK_IN_A_ROW, [screen.place(2, 5, 3), screen.place(2, 7, 9)])
    screen.come_to_rest()
    state = agree(screen)
    assert [state.get(PARAMETERS[part]) for part in ("token", "key_token")] == [8, 10]


def test_a_figure_that_is_painted_while_the_button_is_down(screen):
    """The answer to the click before can come then. Plotly forgets what is under the mouse, and took it for none."""
    screen.open("scaled_scores")
    screen.page.evaluate(_CLICK_DURING_A_PAINT, screen.place(2, 7, 9))
    screen.come_to_rest()
    assert [agree(screen).get(PARAMETERS[part]) for part in ("token", "key_token")] == [8, 10]


def test_quick_clicks_of_a_person(screen):
    """Who holds the button for 80 ms: the answer to the first click arrives while it is down for the second."""
    screen.open("scaled_scores")
    mouse = screen.page.mouse
    for query in range(2, 8):
        for place in [screen.place(2, 12, 3), screen.place(2, query, 9)]:
            mouse.move(*place)
            mouse.down()
            screen.page.wait_for_timeout(80)
            mouse.up()
        screen.come_to_rest()
        assert (screen.parameters["token"], screen.parameters["key_token"]) == ([str(query + 1)], ["10"])


def test_two_clicks_before_the_first_is_answered(screen):
    screen.open("scaled_scores")
    first, second = screen.place(2, 5, 3), screen.place(2, 7, 9)
    screen.page.mouse.click(*first)
    screen.page.mouse.click(*second)
    screen.come_to_rest()
    state = agree(screen)
    assert [state.get(PARAMETERS[part]) for part in ("token", "key_token")] == [8, 10]
    assert state.get(EDITS) == ()


def test_a_cell_is_clicked_again_after_a_picker_has_moved_away_from_it(screen):
    screen.open("scaled_scores")
    for _ in range(2):
        with screen.rerun():
            screen.page.mouse.click(*screen.place(2, 7, 9))
        assert (screen.looked_at("token"), screen.looked_at("key_token")) == ("8 · ,", "10 · down")
        screen.picker("token").locator("input").first.click()
        with screen.rerun():
            screen.page.get_by_role("option", name="3 · cat", exact=True).click()
        assert screen.looked_at("token") == "3 · cat"


def test_back_brings_back_the_whole_state(screen):
    """The trial that went wrong: Multi-head, then Full stack, then another encoder, then Back."""
    screen.open("multi_head")
    screen.go("full_stack")
    with screen.rerun():
        screen.choose("Encoder", "minilm")
    screen.come_to_rest()
    assert "encoder=minilm" in screen.page.url
    expect(screen.page.get_by_text("6 × 12 × 22 × 22").first).to_be_visible()
    screen.page.go_back()
    screen.come_to_rest()
    assert agree(screen).get(PARAMETERS["encoder"]) == "random"
    assert screen.name == "full_stack"
    assert screen.says("d_model") == 64
    expect(screen.page.get_by_text("4 × 4 × 20 × 20").first).to_be_visible()
    screen.page.go_back()
    screen.arrived("multi_head").come_to_rest()
    agree(screen)
    screen.page.go_forward()
    screen.arrived("full_stack").come_to_rest()
    agree(screen)


def test_back_closes_one_operand_after_another(screen):
    screen.open("scaled_scores", cell="dot_products.0.0.0.4.2", token="5", key_token="3")
    for tensor in ("q.", "attn_in."):
        with screen.rerun():
            screen.page.locator("button.ew-operand").first.click()
        assert screen.parameters["cell"][0].split("~")[-1].startswith(tensor)
    for trail in (2, 1):
        screen.page.go_back()
        screen.come_to_rest()
        assert len(screen.parameters["cell"][0].split("~")) == trail
    expect(screen.page.locator(".ew-result").first).to_contain_text("Dot product of query and key")


def test_back_opens_the_experiment_before_with_its_result(screen):
    screen.follow("/experiments?experiment=softmax-maximum")
    screen.arrived("experiments", has_plots=False)
    with screen.rerun():
        screen.page.locator("[class*='st-key-predict-softmax-maximum-1'] button").click()
    predicted = screen.page.get_by_text("You predicted")
    expect(predicted).to_be_visible()
    with screen.rerun():
        screen.page.get_by_role("button", name="Next").click()
    assert set(screen.parameters) == {"experiment"}, "the next question, without an answer"
    with screen.rerun():
        screen.page.go_back()
    assert screen.parameters == {"experiment": ["softmax-maximum"], "prediction": ["1"]}
    expect(predicted).to_be_visible()


def test_the_selected_word_is_kept(screen):
    screen.open("scaled_scores", token="16", key_token="3")
    assert screen.looked_at("token") == "16 · it"
    with screen.rerun():
        screen.choose("Encoder", "minilm")
    screen.come_to_rest()
    assert (screen.looked_at("token"), screen.looked_at("key_token")) == ("17 · it", "4 · cat")
    text_field(screen).fill("well, it rains")
    with screen.rerun():
        text_field(screen).press("ControlOrMeta+Enter")
    screen.come_to_rest()
    assert screen.looked_at("token") == "4 · it"
    assert screen.looked_at("key_token") not in ("", "[PAD]")
    agree(screen)


def test_the_first_edit_does_not_scroll_the_page(phone):
    screen = phone.open("scaled_scores", cell="scores.0.0.0.2.1")
    field = screen.page.get_by_label("Set this score to")
    field.scroll_into_view_if_needed()
    before = field.bounding_box()["y"]
    field.fill("5")
    with screen.rerun():
        field.press("Enter")
    screen.come_to_rest()
    after = screen.page.get_by_label("Set this score to").bounding_box()["y"]
    assert abs(after - before) < PHONE["height"] / 2
    effect = screen.page.get_by_text("Effect of your edits").bounding_box()["y"]
    assert 0 < effect - after < PHONE["height"]


def test_every_name_of_a_page_is_an_address(screen):
    screen.open("start")
    assert screen.page.url.rstrip("?").endswith("/")
    screen.page.goto(f"{screen.url}/start?story_token=4")
    screen.arrived("start")
    assert screen.parameters["story_token"] == ["4"]
    assert screen.page.get_by_text("Page not found").count() == 0


# In one step: what is on the page may be replaced at any time.
_PLOT = """index => {
    const plots = [...document.querySelectorAll(".ew-plot .js-plotly-plot")].slice(0, 4);
    return plots[index % plots.length]?.getBoundingClientRect().toJSON();
}"""
_CLICK_OPERAND = """index => {
    const operands = [...document.querySelectorAll("button.ew-operand")];
    operands[index % operands.length]?.click();
}"""


class Hand:
    """Does at random what a person does, often before the answer to what was done before."""

    def __init__(self, screen, seed):
        self.screen, self.page, self.dice = screen, screen.page, random.Random(seed)

    def act(self):
        action = self.dice.choice(
            [self.text, self.slider, self.click, self.operand, self.stage, self.back, self.reload]
        )
        action()
        if self.dice.random() < 0.6:
            self.screen.come_to_rest()

    def text(self):
        text_field(self.screen).fill(self.dice.choice([OTHER_TEXT, "it rains", "a cat\nas it was"]))
        text_field(self.screen).press("ControlOrMeta+Enter")

    def slider(self):
        label = self.dice.choice(["d_model", "heads", "layers"])
        self.screen.slider(label).press(self.dice.choice(["ArrowLeft", "ArrowRight"]))

    def click(self):
        box = self.page.evaluate(_PLOT, self.dice.randrange(4))
        if box and 80 < box["y"] < 700:
            x, y = (self.dice.uniform(0.4, 0.8) for _ in range(2))
            self.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])

    def operand(self):
        self.page.evaluate(_CLICK_OPERAND, self.dice.randrange(3))

    def stage(self):
        self.page.locator(".st-key-rail").get_by_role("link").nth(self.dice.choice([3, 4, 5, 6, 8])).click()

    def back(self):
        if self.page.evaluate("window.history.length") > 2 and self.dice.random() < 0.7:
            self.page.go_back()

    def reload(self):
        self.screen.come_to_rest()
        self.page.reload()


@pytest.mark.parametrize("seed", [1, 2])
def test_random_sequences_leave_one_state(screen, stranger, seed):
    screen.page.goto("about:blank")
    screen.open("scaled_scores")
    hand = Hand(screen, seed)
    for _ in range(9):
        if not screen.page.url.startswith(screen.url):  # Back has left the app
            screen.page.go_forward()
            screen.come_to_rest()
        hand.act()
    if not screen.page.url.startswith(screen.url):
        screen.page.go_forward()
    screen.come_to_rest()
    agree(screen)
    shown = [np.array(plot["z"], float) for plot in screen.plots() if plot["z"]]
    stranger.page.goto(screen.page.url)
    stranger.page.wait_for_selector(PLOT)
    stranger.come_to_rest()
    assert stranger.page.url == screen.page.url
    again = [np.array(plot["z"], float) for plot in stranger.plots() if plot["z"]]
    assert len(again) == len(shown)
    for one, other in zip(shown, again, strict=True):
        np.testing.assert_array_equal(one, other)
