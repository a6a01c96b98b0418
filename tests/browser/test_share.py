"""The dialog Share and the files of a figure, in a browser."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import PHONE


def derivation(screen):
    return screen.page.locator(".ew-derivation").first.inner_text()


def test_a_shared_link_shows_the_same_cell_on_a_phone(screen):
    screen.open("scaled_scores", layer=2, head=3, token=16, key_token=3, cell="scores.1.0.2.15.2")
    shown = derivation(screen)
    screen.page.get_by_role("button", name="Share").click()
    link = screen.page.get_by_role("textbox", name="Link to this view").input_value()
    assert link.startswith(f"{screen.url}/scaled_scores?")
    expect(screen.page.get_by_role("img", name="QR code of the link to Scaled scores")).to_be_visible()
    full_screen = screen.page.get_by_role("button", name="Full screen")
    for key in ("Escape", "Enter"):
        full_screen.press("Enter")
        expect(screen.page.locator(".ew-code:fullscreen")).to_be_focused()
        screen.page.keyboard.press(key)
        expect(full_screen).to_be_focused()
        expect(screen.page.locator(".ew-code:fullscreen")).to_have_count(0)
    screen.page.get_by_role("button", name="Close").click()
    screen.page.set_viewport_size(PHONE)
    screen.page.goto(link)
    assert derivation(screen.arrived("scaled_scores")) == shown


def test_a_figure_is_saved(screen):
    screen.open("qkv")
    panel = screen.page.locator(".ew-panel").first
    for format_name, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("CSV", "\ufeff".encode())):
        panel.hover()
        panel.locator(".ew-save summary").click()
        with screen.page.expect_download() as download:
            panel.get_by_role("button", name=format_name).click()
        saved = Path(download.value.path()).read_bytes()
        assert saved.startswith(start)
        # The page's font is in the file: another one would be wider than what Plotly has measured.
        assert (b"@font-face" in saved and b";base64," in saved) == (format_name == "SVG")
