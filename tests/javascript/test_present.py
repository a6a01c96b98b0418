"""Presentation mode: the text and the height of a large panel."""

import pytest

from tests.javascript.panels import axis, matrix_panel

WORDS = [f"t{number}" for number in range(20)]
PANEL = matrix_panel([[0.0] * 2] * 20, axis("query", WORDS), axis("key", "ab"))
PANEL["layout"] |= {
    "font": {"size": 11},
    "xaxis": {"title": {"text": "key", "font": {"size": 11}}, "tickfont": {"size": 11}},
    "yaxis": {"ticktext": WORDS, "tickvals": list(range(20)), "tickfont": {"size": 18}},
    "annotations": [{"text": "max", "font": {"size": 9}, "width": 3}],
}


def enlarge(scripts, panel, available):
    return scripts.call("plot/panel/present.js", "enlarge", panel, available)


def test_fonts_are_at_least_16_pixels(scripts):
    layout = enlarge(scripts, PANEL, 500)["layout"]
    assert layout["font"]["size"] == layout["xaxis"]["tickfont"]["size"] == 16
    assert layout["xaxis"]["title"]["font"]["size"] == layout["annotations"][0]["font"]["size"] == 16
    assert layout["yaxis"]["tickfont"]["size"] == 18
    assert layout["annotations"][0]["width"] == 3  # no font
    assert layout["margin"] == {"l": 87, "r": 15, "t": 50, "b": 44}  # 60, 10 and 30 times 16 / 11


@pytest.mark.parametrize(
    ("rows", "available", "height"),
    [
        (2, 500, 500),
        (2, 900, 575),  # 2.5 times the 230 pixels of the figure
        (2, 300, 440),  # the page scrolls
        (33, 300, 440),  # too many rows to label all
        (32, 300, 628),  # 32 labels of 17 pixels, margins of 10 (50 less the title's 40) and 44, 30 for the title
    ],
)
def test_height_of_the_figure(scripts, rows, available, height):
    panel = PANEL | {"layout": PANEL["layout"] | {"yaxis": {"ticktext": (2 * WORDS)[:rows]}}}
    assert enlarge(scripts, panel, available)["layout"]["height"] == height


def test_mosaic_has_all_row_labels(scripts):
    tiles = {"rows": axis("", [""]), "columns": axis("head", "12"), "tall": 3, "wide": 2, "gap": 1}
    mosaic = PANEL | {"kind": "mosaic", "tiles": tiles, "rows": axis("token", ["a", "<b>", "x" * 20])}
    mosaic["layout"] = PANEL["layout"] | {"yaxis": {"ticktext": ["a"], "tickvals": [0]}}
    yaxis = enlarge(scripts, mosaic, 500)["layout"]["yaxis"]
    assert (yaxis["tickvals"], yaxis["ticktext"]) == ([0, 1, 2], ["a", "&lt;b&gt;", "x" * 11 + "…"])


_ACTION = """async ([key, html, options]) => {
    const { actionOf } = await import("/presenter/presenter.js");
    document.body.innerHTML = html;
    const event = new KeyboardEvent("keydown", { key, ...options });
    Object.defineProperty(event, "target", { value: document.querySelector("#target") ?? document.body });
    return actionOf(event) ?? null;
}"""


@pytest.mark.parametrize(
    ("key", "html", "options", "action"),
    [
        ("PageDown", "", {}, "next"),
        ("ArrowRight", "<button id=target></button>", {}, "next"),
        ("PageUp", "", {}, "previous"),
        ("ArrowLeft", "", {}, "previous"),
        ("Escape", "", {}, "leave"),
        ("a", "", {}, None),
        ("ArrowRight", "<input id=target>", {}, None),
        ("PageDown", "<input id=target>", {}, "next"),
        ("PageDown", "<textarea id=target></textarea>", {}, None),
        ("ArrowLeft", "<div role=slider id=target></div>", {}, None),
        ("Escape", "<input id=target>", {}, "leave"),
        ("Escape", "<div role=dialog></div>", {}, None),  # it closes the dialog
        ("ArrowRight", "", {"altKey": True}, None),  # the browser's own
    ],
)
def test_action_of_a_key(scripts, key, html, options, action):
    assert scripts.page.evaluate(_ACTION, [key, html, options]) == action


# A window of 720 pixels with a line of two figures, a diagram, a hidden line, and a line of two figures.
_PAGE = """<div data-testid=stApp data-test-script-state=notRunning>
<main data-testid=stMain style="height: 720px; overflow: auto"><h1 style="height: 100px; margin: 0"></h1>
<div class="ew-plot ew-switched" style="height: 400px"><div class=ew-switcher>
    <button aria-pressed=true>a</button><button aria-pressed=false>b</button></div></div>
<div class=ew-diagram style="height: 500px; margin-top: 100px; scroll-margin-top: 124px">diagram</div>
<div class="ew-plot" style="display: none"><div class=ew-switcher><button aria-pressed=true>hidden</button></div></div>
<div class="ew-plot ew-switched" style="height: 650px; margin: 300px 0 500px; scroll-margin-top: 124px">
    <div class=ew-switcher><button aria-pressed=false>c</button><button aria-pressed=true>d</button></div></div>
</main></div>"""
_WALK = """async ([html, directions]) => {
    const { showNeighbour } = await import("/presenter/pictures.js");
    document.body.style.margin = 0;
    document.body.innerHTML = html;
    const shown = [], main = document.querySelector("main");
    for (const button of document.querySelectorAll("button"))
        button.onclick = () => {
            for (const other of button.parentElement.children) other.setAttribute("aria-pressed", other === button);
        };
    for (const direction of directions) {
        if (typeof direction === "string") { main.scrollTop = Number(direction); continue; }
        const hasShown = showNeighbour(direction);
        const pressed = [...document.querySelectorAll("[aria-pressed=true]")].map(button => button.textContent);
        shown.push([hasShown, main.scrollTop, pressed.join("")]);
    }
    return shown;
}"""


def walk(scripts, *directions):
    """For each key: whether it showed a figure, how far the page is scrolled, and the figure of each line."""
    scripts.page.set_viewport_size({"width": 1280, "height": 720})
    return scripts.page.evaluate(_WALK, [_PAGE, directions])


def test_keys_go_through_all_pictures(scripts):
    forward = walk(scripts, 1, 1, 1, 1, 1)
    assert forward == [
        [True, 0, "bhiddend"],
        [True, 476, "bhiddend"],  # the diagram begins at 600
        [True, 1330, "bhiddenc"],  # the first figure; a high picture ends with the window, at 2050
        [True, 1330, "bhiddend"],
        [False, 1330, "bhiddend"],  # the next page
    ]


def test_keys_go_back_to_the_top_of_the_page(scripts):
    back = walk(scripts, "1330", -1, -1, -1, -1, -1)
    assert back == [
        [True, 1330, "ahiddenc"],
        [True, 476, "ahiddenc"],
        [True, 0, "bhiddenc"],  # the last figure of the line
        [True, 0, "ahiddenc"],
        [False, 0, "ahiddenc"],
    ]


def test_keys_start_at_the_picture_in_sight(scripts):
    assert walk(scripts, "476", 1) == [[True, 1330, "ahiddenc"]]
    # The diagram that the key showed is partly in sight, but after more scrolling no longer.
    assert walk(scripts, 1, 1, "1050", 1)[-1] == [True, 1330, "bhiddenc"]
    assert walk(scripts, 1, 1, "1390", 1)[-1] == [False, 1390, "bhiddend"]


def test_a_first_picture_that_ends_below_the_window_is_shown_before_the_next(scripts):
    """Of a page with much text above it."""
    page = _PAGE.replace("height: 100px; margin: 0", "height: 500px; margin: 0")
    scripts.page.set_viewport_size({"width": 1280, "height": 720})
    steps = scripts.page.evaluate(_WALK, [page, [1, 1, 1]])
    assert steps == [[True, 500, "ahiddend"], [True, 500, "bhiddend"], [True, 876, "bhiddend"]]


def test_a_key_shows_the_answer_that_the_pictures_wait_for(scripts):
    """The question is between the diagram and the last line, which it hides."""
    question = (
        "<div class=st-key-figure_is_hidden><div class=st-key-show_answer>"
        "<button aria-pressed=false>answered</button></div></div>"
    )
    line = '<div class="ew-plot ew-switched" style="height: 650px;'
    assert line in _PAGE
    page = _PAGE.replace(line, question + line.replace("height", "visibility: hidden; height"))
    scripts.page.set_viewport_size({"width": 1280, "height": 720})
    steps = scripts.page.evaluate(_WALK, [page, [1, 1, 1]])
    assert [(has_shown, pressed) for has_shown, _, pressed in steps] == [
        (True, "bhiddend"), (True, "bhiddend"), (True, "bhiddenansweredd")]  # fmt: skip
    back = scripts.page.evaluate(_WALK, [page, [1, 1, -1, -1, -1]])
    assert [has_shown for has_shown, *_ in back] == [True, True, True, True, False]
    assert not any("answered" in pressed for *_, pressed in back)


_OPEN_BACKWARDS = """async html => {
    const { default: mount } = await import("/presenter/presenter.js");
    document.body.style.margin = 0;
    document.body.innerHTML = `<section><div class=ew-presenter></div></section><div id=page></div>`;
    const parentElement = document.querySelector("section"), page = document.querySelector("#page");
    const actions = [];
    const show = (previous, following) => mount({
        parentElement, data: { previous, following }, setTriggerValue: (_, action) => actions.push(action) });
    const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const pressed = () => [...document.querySelectorAll(".ew-plot:last-child [aria-pressed=true]")].at(-1)?.textContent;
    const wait = (time = 500) => new Promise(done => setTimeout(done, time));
    const waitFor = async text => { for (let i = 0; i < 100 && pressed() !== text; i++) await wait(100); };
    const draw = state => {
        page.innerHTML = html;
        page.firstElementChild.dataset.testScriptState = state;
        for (const button of document.querySelectorAll(".ew-switcher button"))
            button.onclick = () => {
                for (const other of button.parentElement.children) other.setAttribute("aria-pressed", other === button);
            };
        page.querySelector(".ew-plot:last-child").querySelectorAll("button")[0].click();
    };
    const seen = [];
    show("one", "three");
    press("PageUp");
    seen.push(actions.join());
    draw("running");
    show("zero", "two");
    await wait();
    seen.push(pressed());
    page.firstElementChild.dataset.testScriptState = "notRunning";
    await waitFor("d");
    seen.push(pressed());
    document.querySelector(".ew-presenter button").click();
    draw("notRunning");
    show(null, "one");
    await wait();
    seen.push(pressed());
    return seen;
}"""


def test_page_opened_backwards_shows_its_last_figure(scripts):
    # When the page is complete, not before; but at its first figure after the button "previous page".
    assert scripts.page.evaluate(_OPEN_BACKWARDS, _PAGE) == ["previous", "c", "d", "c"]
