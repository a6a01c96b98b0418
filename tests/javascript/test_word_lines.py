"""Lines between words: their paths and looks, the two layouts, and what a click sends."""

import pytest

MODULE, DRAW = "word_lines/word_lines.js", "word_lines/draw.js"
DATA = {
    "title": "", "sides": ["query", "key"], "hint": "", "key": None,
    "query": 1, "selected": 1, "legend": True, "alt": "alt",
    "words": [{"label": word, "word": word} for word in ("the", "<b>cat</b>", "sat")],
    "heads": [{"name": "head 1", "colour": "#ff0000", "dash": "solid"},
              {"name": "head 2", "colour": "#0000ff", "dash": "dashed"}],
    "lines": [[0, 0, 0.25], [1, 2, 0.5], [0, 2, 0.75], [1, 0, 0.1]],
}  # fmt: skip
_RENDER = """async data => {
    const style = await (await fetch("/word_lines/word_lines.css")).text();
    document.body.innerHTML = `<style>${style}</style><div class='ew-word_lines'></div>`;
    const { default: render } = await import("/word_lines/word_lines.js");
    const sent = window.sent = [];
    render({ data, parentElement: document.body, setTriggerValue: (...values) => sent.push(values) });
}"""


@pytest.fixture
def render(scripts):
    def render(width=1000, **changes):
        scripts.page.set_viewport_size({"width": width, "height": 700})
        scripts.page.evaluate(_RENDER, DATA | changes)
        return scripts.page

    return render


@pytest.mark.parametrize(
    ("start", "end", "path"),
    [
        ((0, 0), (100, 80), "M0 0C0 40 100 40 100 80"),
        ((50, 90), (10, 30), "M50 90C50 60 10 60 10 30"),  # upwards
        ((0, 40), (100, 40), "M0 40C0 14 100 14 100 40"),  # an arc in one row
        ((20, 40), (20, 40), "M13 40C6 14 34 14 27 40"),  # a loop
    ],
)
def test_path(scripts, start, end, path):
    points = [dict(zip("xy", point, strict=True)) for point in (start, end)]
    assert scripts.call(DRAW, "linePath", *points) == path


def test_ends_face_each_other(scripts):
    def rect(left, top):
        return {"left": left, "top": top, "width": 40, "height": 20, "bottom": top + 20}

    ends = lambda target: scripts.call(DRAW, "lineEnds", rect(0, 100), target, 0.5)  # noqa: E731
    assert ends(rect(60, 200)) == [{"x": 20, "y": 120}, {"x": 80, "y": 200}]
    assert ends(rect(60, 0)) == [{"x": 20, "y": 100}, {"x": 80, "y": 20}]
    assert ends(rect(60, 100)) == [{"x": 20, "y": 100}, {"x": 80, "y": 100}]


def test_looks(scripts):
    assert scripts.call(DRAW, "lineLook", 0) == {"width": 1, "opacity": 0.3}
    assert scripts.call(DRAW, "lineLook", 1) == scripts.call(DRAW, "lineLook", 1.1) == {"width": 11, "opacity": 1}
    assert [scripts.call(DRAW, "spreadOf", head, 3) for head in range(3)] == [-0.3, 0, 0.3]
    assert scripts.call(DRAW, "spreadOf", 0, 1) == 0


def test_weights_as_text(scripts):
    assert scripts.call(MODULE, "weightTexts", DATA, 1) == ["0.10", "", "0.50"]
    assert scripts.call(MODULE, "describeKey", DATA, 2) == "<b>cat</b> → sat\nhead 1: 0.75\nhead 2: 0.50"
    assert scripts.call(MODULE, "describeKey", DATA, 1).endswith("\nnot drawn")


def test_words_that_fit_are_two_rows(render):
    page = render()
    assert page.locator(".ew-word.ew-query").all_inner_texts() == ["the", "<b>cat</b>", "sat"]
    assert page.locator(".ew-word.ew-key small").all_text_contents() == ["0.10", "", "0.50"]
    assert page.locator("svg path").count() == 4
    assert page.locator("svg path").evaluate_all("paths => paths.map(path => path.getAttribute('stroke'))")[-2:] == [
        "#0000ff", "#0000ff",  # the selected head's are on top
    ]  # fmt: skip
    selected = page.locator("[aria-pressed=true]")
    assert selected.all_text_contents() == ["head 2", "<b>cat</b>"]
    assert min(box["height"] for box in (x.bounding_box() for x in page.locator("button").all())) >= 40
    page.locator(".ew-word.ew-key").first.click()
    page.locator(".ew-word.ew-query").last.click()
    page.locator(".ew-head-button").first.click()
    assert page.evaluate("sent") == [["word", ["key", 0]], ["word", ["query", 2]], ["head", 0]]


@pytest.mark.parametrize("width", [260, 300, 340, 400])
def test_no_word_is_cut_at_any_width(render, width):
    words = [{"label": word, "word": word} for word in ("A", "much", "longer", "sentence", ",", "above")]
    page = render(width, words=words, lines=[])
    for word in page.locator(".ew-word:visible").all():
        assert word.evaluate("word => word.scrollWidth <= word.clientWidth")


def test_the_words_of_a_paragraph_are_above_the_lines(render):
    page = render(width=150)
    backgrounds = page.evaluate("""() => {
        document.body.style.setProperty("--ew-background", "rgb(1, 2, 3)");
        return [...document.querySelectorAll(".ew-key bdi")].map(word => getComputedStyle(word).backgroundColor);
    }""")
    assert backgrounds == ["rgb(1, 2, 3)", "rgba(0, 0, 0, 0)", "rgb(1, 2, 3)"]  # the second is selected, on a tint


def test_words_that_do_not_fit_are_a_paragraph(render):
    page = render(150)
    words = page.locator(".ew-word:visible")
    assert [word.inner_text().split("\n")[0] for word in words.all()] == ["the", "<b>cat</b>", "sat"]
    assert min(min(box["width"], box["height"]) for box in (word.bounding_box() for word in words.all())) >= 40
    words.first.click()
    assert page.evaluate("sent") == [["word", ["query", 0]]]


def test_keyboard_reaches_every_word_and_shows_its_weights(render):
    page = render()
    page.locator(".ew-word.ew-key").nth(1).focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator(".ew-tip")
    assert tip.is_visible()
    assert tip.inner_text() == "<b>cat</b> → sat\nhead 1: 0.75\nhead 2: 0.50"
    assert page.locator("path.ew-faded").count() == 2  # those to the other key
    page.keyboard.press("Enter")
    assert page.evaluate("sent") == [["word", ["key", 2]]]
    assert page.locator(".ew-word.ew-key[tabindex='0']").count() == 1
