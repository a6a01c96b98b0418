"""Every page: wide, dark and on a phone, and for everybody."""

from urllib.parse import urlencode

import pytest

from dashboard.page_list import PAGES, STAGES, START, Stage, page_named
from encoder_core.figures import theme_named
from tests.browser.accessibility import violations
from tests.browser.conftest import PHONE, TABLET, WIDE
from tests.browser.screen import WITHOUT_PLOTS

_CUT_FORMULAS = """() => [...document.querySelectorAll(".katex-display")]
    .filter(formula => formula.scrollWidth > formula.clientWidth).map(formula => formula.innerText)"""
_BADGES_BESIDE = """width => [...document.querySelectorAll("[data-testid=stMain] .stMarkdownBadge")]
    .filter(badge => badge.getBoundingClientRect().right > width).map(badge => badge.innerText)"""
_PICTURE, _WITH_PICTURE = ".ew-plot, .ew-diagram, .ew-word_lines", {START.name, *(stage.name for stage in STAGES)}
_LINKS = {"experiments": {"prediction": 0}}  # it shows a plot after a prediction


def check_painted(screen, scheme):
    """All plots are drawn, in the colours of the appearance."""
    assert screen.page.locator("[data-testid=stException]").count() == 0
    plots, colours = screen.plots(numbers=False), theme_named(scheme)
    assert plots or screen.name in {START.name, *WITHOUT_PLOTS}
    assert screen.empty_plots() == []
    for plot in plots:
        assert plot["background"] in (colours.background, "rgba(0,0,0,0)")
        assert plot["ink"] == colours.muted
        ends = {colours.background, colours.signed[0][1]}  # weights begin with the background, signed values do not
        assert plot["scale"] is None or plot["scale"][0][1] in ends


def check_fits(screen, size):
    """At this size of the window nothing is cut off, and the page cannot be scrolled sideways."""
    screen.resize(size)
    assert screen.pixels_too_wide() <= 2
    assert screen.clipped_titles() == []


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_is_painted_and_fits(screen, name):
    screen.open(name, **_LINKS.get(name, {}))
    check_painted(screen, "light")
    assert violations(screen.page) == []
    assert screen.page.title() == f"{page_named(name).title} · Encoder Walkthrough"
    if name in _WITH_PICTURE:
        box = screen.page.locator(_PICTURE).first.bounding_box()
        assert 100 < box["y"] + box["height"] <= WIDE["height"], "it is in sight without scrolling"
    check_fits(screen, WIDE)
    if name in {stage.name for stage in STAGES}:
        check_fits(screen, TABLET)
        assert screen.page.evaluate(_CUT_FORMULAS) == []
    else:  # stages become as narrow as a phone in `test_pages_fit_at_the_ends_of_the_settings`
        check_fits(screen, PHONE)


@pytest.mark.parametrize(
    ("name", "link"),
    [("multi_head", {"part": "How many heads?"}), ("recipes", {"recipe_view": "All five compared"})],
)
def test_a_wide_table_scrolls_by_itself_on_a_phone(screen, name, link):
    screen.follow(f"/{name}?{urlencode(link)}")
    screen.arrived(name, has_plots=False)
    table = screen.page.locator("[data-testid=stMain] table")
    table.wait_for()
    screen.resize(PHONE)
    assert screen.pixels_too_wide() <= 2
    assert (
        table.evaluate("table => { table.parentElement.scrollLeft = 999; return table.parentElement.scrollLeft; }") > 99
    )


def test_pages_opened_on_a_phone_are_painted_in_the_colours_of_the_dark_and_fit(screen):
    screen.page.set_viewport_size(PHONE)
    screen.appear("dark")
    screen.follow("/", load=True)
    for page in PAGES:
        if isinstance(page, Stage) and page.number:
            screen.go(page.name)
        else:
            screen.open(page.name, **_LINKS.get(page.name, {}))
        check_painted(screen, "dark")
        assert violations(screen.page) == [], page.name
        check_fits(screen, PHONE)
        if page.name in _WITH_PICTURE:
            top = screen.page.locator(_PICTURE).first.bounding_box()["y"]
            assert top < 0.77 * PHONE["height"], f"it begins in sight on {page.name}"
            assert screen.page.evaluate(_BADGES_BESIDE, PHONE["width"]) == []


def test_an_open_page_follows_the_system_from_light_to_dark_and_back(screen):
    screen.open("scaled_scores", layer=2)
    entries, url = screen.page.evaluate("history.length"), screen.page.url
    for scheme in ("dark", "light"):
        screen.appear(scheme)
        check_painted(screen, scheme)
    assert (screen.page.evaluate("history.length"), screen.page.url) == (entries, url)


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("weighted_values", {"edits": "head.0.0=0.5"}),
        ("qkv", {"edits": "head.1.1=0", "layer": 3}),
        ("feed_forward", {"encoder": "minilm"}),
        ("add_and_norm", {"encoder": "minilm"}),
    ],
)
def test_titles_of_narrow_panels_are_read_in_full(screen, name, link):
    screen.page.set_viewport_size({"width": 1100, "height": 800})
    screen.open(name, **link)
    assert screen.clipped_titles() == []


DEMANDING = {
    "text": "\n".join([" ".join(f"token{number}" for number in range(64)), "short", "x" * 200]),
    "d_model": 256, "heads": 16, "layers": 12, "d_ff": 1024, "norm": "pre", "mask": "both",
}  # fmt: skip
SMALLEST = {"text": "word", "d_model": 4, "heads": 1, "layers": 1, "d_ff": 8}


@pytest.mark.parametrize("link", [DEMANDING, SMALLEST], ids=["demanding", "smallest"])
def test_pages_fit_at_the_ends_of_the_settings(screen, link):
    """Each page at the size of the page before, and at another: on a phone and in a wide window."""
    screen.open(**link)
    sizes = [WIDE, PHONE]
    for stage in STAGES:
        screen.go(stage.name)
        sizes.reverse()
        for size in (None, sizes[0]):
            if size:
                screen.resize(size)
            assert screen.page.locator("[data-testid=stException]").count() == 0
            assert screen.empty_plots() == [], stage.name
            assert screen.pixels_too_wide() <= 2, stage.name
