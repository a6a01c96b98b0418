"""Every page, opened by a link of its own: wide, dark and on a phone."""

import pytest

from dashboard.stages import PAGES, STAGES
from encoder_core.figures import theme_named
from tests.browser.conftest import PHONE, WIDE

VIEWS = {"wide": (WIDE, "light"), "dark": (WIDE, "dark"), "phone": (PHONE, "light")}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_page_is_painted_and_fits(screen, view, name):
    size, scheme = VIEWS[view]
    screen.page.set_viewport_size(size)
    screen.page.emulate_media(color_scheme=scheme)
    screen.open(name)
    plots = screen.plots()
    assert plots
    assert [plot["title"] for plot in plots if not plot["drawn"]] == []
    assert screen.page.locator("[data-testid=stException]").count() == 0
    assert screen.pixels_too_wide() <= 2
    assert screen.clipped_titles() == []
    colours = theme_named(scheme)
    for plot in plots:
        assert plot["background"] in (colours.background, "rgba(0,0,0,0)")
        assert plot["ink"] == colours.muted
        ends = {colours.background, colours.signed[0][1]}  # weights begin with the background, signed values do not
        assert plot["scale"] is None or plot["scale"][0][1] in ends


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


def test_pictures_are_in_sight_without_scrolling(screen):
    screen.open()
    bottoms = {}
    for stage in STAGES:
        picture = screen.go(stage.name).page.locator(".ew-picture, .ew-diagram").first.bounding_box()
        bottoms[stage.name] = round(picture["y"] + picture["height"])
    assert {name: bottom for name, bottom in bottoms.items() if not 100 < bottom <= WIDE["height"]} == {}


DEMANDING = {
    "text": "\n".join([" ".join(f"token{number}" for number in range(64)), "short", "x" * 200]),
    "d_model": 256, "heads": 16, "layers": 12, "d_ff": 1024, "norm": "pre", "mask": "both",
}  # fmt: skip
SMALLEST = {"text": "word", "d_model": 4, "heads": 1, "layers": 1, "d_ff": 8}


@pytest.mark.parametrize(
    ("link", "size"),
    [(DEMANDING, WIDE), (DEMANDING, PHONE), (SMALLEST, WIDE)],
    ids=["demanding, wide", "demanding, phone", "smallest, wide"],
)
def test_pages_fit_at_the_ends_of_the_settings(screen, link, size):
    screen.page.set_viewport_size(size)
    screen.open(**link)
    for stage in STAGES:
        screen.go(stage.name)
        assert screen.page.locator("[data-testid=stException]").count() == 0
        assert [plot["title"] for plot in screen.plots() if not plot["drawn"]] == [], stage.name
        assert screen.pixels_too_wide() <= 2, stage.name
