"""Chromium and the client do the same and send the same messages."""

import json

import pytest
from playwright.sync_api import Page

from benchmarks.client import ClientSession
from tests.client.chromium import Tab


def plain(sent):
    """A rerun message as values that can be compared: widgets by id, JSON decoded, hashes as a set."""
    widgets = {}
    for state in sent.widget_states.widgets:
        field = state.WhichOneof("value")
        value = getattr(state, field) if field else None
        value = tuple(value.data) if field and field.endswith("array_value") else value
        widgets[state.id] = (field, json.loads(value) if field and field.startswith("json") else value)
    context = sent.context_info
    return {
        "query_string": sent.query_string,
        "widgets": widgets,
        "page_script_hash": sent.page_script_hash,
        "page_name": sent.page_name,
        "fragment_id": sent.fragment_id,
        "is_auto_rerun": sent.is_auto_rerun,
        "is_history_navigation": sent.is_history_navigation,
        "cached": set(sent.cached_message_hashes),
        "context": (context.timezone, context.timezone_offset, context.locale, context.url, context.is_embedded),
    }


def compare(tab, session, step):
    """Chromium and the client have sent the same, and show the same."""
    assert [plain(sent) for sent in session.sent] == [plain(sent) for sent in tab.sent], step
    assert (session.url, len(session.history)) == (tab.url, tab.history_length), step
    assert session.texts("caption") == tab.captions, step
    tab.sent.clear()
    session.sent.clear()


def both(tab, session, steps):
    """Do the steps in both: a name, how many runs they end in Chromium, what to do there and in the client."""
    compare(tab, session, "open")
    for name, runs, in_chromium, in_client in steps:
        tab.act(in_chromium, runs)
        in_client(session)
        compare(tab, session, name)


def choose(label, option):
    def act(page: Page):
        page.get_by_role("combobox", name=label, exact=True).click()
        page.get_by_role("option", name=option, exact=True).click()

    return act


def type_in(label, text, key="Enter"):
    def act(page: Page):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press(key)

    return act


def press_slider(label, key):
    return lambda page: page.locator(f"input[type=range][aria-label='{label}']").press(key)


def press_button(name):
    return lambda page: page.get_by_role("button", name=name, exact=True).click()


def tap_while_typing(label, text, target):
    """Type into a field, then tap on something else: both changes come in one browser tick."""

    def act(page: Page):
        page.get_by_label(label, exact=True).fill(text)
        page.locator(target).tap()

    return act


WIDGET_STEPS = [
    ("selectbox", 1, choose("Box", "blue"), lambda s: s.set("box", "blue")),
    ("empty selectbox", 1, choose("Open box", "b"), lambda s: s.set("open_box", "b")),
    ("radio", 1, lambda p: p.get_by_text("y", exact=True).click(), lambda s: s.set("radio", "y")),
    ("multiselect", 1, choose("Many", "p"), lambda s: s.set("many", ["q", "p"])),
    (
        "pills",
        1,
        lambda p: p.get_by_test_id("stButtonGroup").get_by_text("two").click(),
        lambda s: s.set("pills", "two"),
    ),
    (
        "no pill",
        1,
        lambda p: p.get_by_test_id("stButtonGroup").get_by_text("two").click(),
        lambda s: s.set("pills", None),
    ),
    ("whole number", 1, type_in("Whole", "7"), lambda s: s.set("whole", 7)),
    ("real number", 1, type_in("Real", "0.25"), lambda s: s.set("real", 0.25)),
    ("slider", 1, press_slider("Slider", "ArrowRight"), lambda s: s.set("slider", 3)),
    ("toggle", 1, lambda p: p.get_by_test_id("stCheckbox").click(), lambda s: s.set("toggle", True)),
    ("line", 1, type_in("Line", "naïve & new"), lambda s: s.set("line", "naïve & new")),
    ("area", 1, type_in("Area", "two\nlines", "Control+Enter"), lambda s: s.set("area", "two\nlines")),
    ("button", 1, press_button("Click"), lambda s: s.click("Click")),
    ("fragment", 1, type_in("Number A", "4"), lambda s: s.set("A", 4)),
    ("bound slider", 1, press_slider("Depth", "ArrowRight"), lambda s: s.set("depth", "3")),
    ("bound slider at its default", 1, press_slider("Depth", "Home"), lambda s: s.set("depth", "1")),
    ("bound slider away from it", 1, press_slider("Depth", "ArrowRight"), lambda s: s.set("depth", "2")),
]


def at_once(session, *actions):
    with session.batch():
        for action in actions:
            action()


def reconnect(page: Page, forget=False):
    page.evaluate("forget => { window.forget = forget; window.closed = window.socket; window.socket.close(); }", forget)
    page.wait_for_function("() => window.socket !== window.closed && window.socket.readyState === 1")


INCREMENT = "[data-testid=stNumberInput]:has(input[aria-label='{}']) [aria-label=Increment]"
TICK_STEPS = [
    (
        "text and toggle",
        1,
        tap_while_typing("Line", "new", "[data-testid=stCheckbox]"),
        lambda s: at_once(s, lambda: s.set("line", "new"), lambda: s.set("toggle", True)),
    ),
    (
        "text of the page, then a fragment",
        1,
        tap_while_typing("Line", "newer", INCREMENT.format("Number A")),
        lambda s: at_once(s, lambda: s.set("line", "newer"), lambda: s.set("A", 1)),
    ),
    (
        "fragment, then text of the page",
        1,
        tap_while_typing("Number A", "5", "[data-testid=stCheckbox]"),
        lambda s: at_once(s, lambda: s.set("A", 5), lambda: s.set("toggle", False)),
    ),
    (
        "two fragments",
        1,
        tap_while_typing("Number B", "3", INCREMENT.format("Number A")),
        lambda s: at_once(s, lambda: s.set("B", 3), lambda: s.set("A", 6)),
    ),
    ("open popover", 0, press_button("Hidden"), lambda s: s.set("Hidden", True)),
    ("in the popover", 1, lambda p: p.get_by_text("In the popover").click(), lambda s: s.set("hidden", True)),
    ("close popover", 0, lambda p: p.keyboard.press("Escape"), lambda s: s.set("Hidden", False)),
    ("after it", 1, press_button("Click"), lambda s: s.click("Click")),
]
CONTAINER_STEPS = [
    ("tab", 1, lambda p: p.get_by_role("tab", name="One").click(), lambda s: s.set("tab", "One")),
    ("expander", 1, lambda p: p.get_by_test_id("stExpander").locator("summary").click(), lambda s: s.set("more", True)),
    ("popover", 1, press_button("Menu"), lambda s: s.set("menu", True)),
    ("in the popover", 1, type_in("Fields", "4"), lambda s: s.set("count", 4)),
    ("new field", 1, type_in("Field 3", "new"), lambda s: s.set("field 3", "new")),
    ("close popover", 1, lambda p: p.keyboard.press("Escape"), lambda s: s.set("menu", False)),
    ("fields move", 1, lambda p: p.get_by_text("Note before").click(), lambda s: s.set("Note before the fields", True)),
    ("after it", 1, type_in("Field 1", "moved"), lambda s: s.set("field 1", "moved")),
    ("exception", 1, lambda p: p.get_by_text("Fail").click(), lambda s: s.set("Fail", True)),
    ("no exception", 1, lambda p: p.get_by_text("Fail").click(), lambda s: s.set("Fail", False)),
]
ADDRESS_STEPS = [
    ("deeper", 1, press_button("Deeper"), lambda s: s.click("Deeper")),
    ("state of a component", 1, press_button("Cell"), lambda s: s.set_state("board", "cell", {"row": 3, "share": 0.5})),
    ("trigger of a component", 1, press_button("Hint"), lambda s: s.trigger("board", "hint", "why")),
    ("st.rerun in a fragment", 1, press_button("Whole app"), lambda s: s.click("Whole app")),
    ("again", 1, press_button("Redraw"), lambda s: s.click("Redraw")),
    ("back", 1, lambda p: p.go_back(), lambda s: s.back()),
    ("forward", 1, lambda p: p.go_forward(), lambda s: s.forward()),
    ("fragment again", 1, press_button("Cell"), lambda s: s.set_state("board", "cell", {"row": 3, "share": 0.5})),
    ("reconnect after a fragment", 1, lambda p: p.evaluate("socket.close()"), lambda s: s.reconnect(keep_session=True)),
    ("whole app", 1, press_button("Redraw"), lambda s: s.click("Redraw")),
    ("reconnect when idle", 0, reconnect, lambda s: s.reconnect(keep_session=True)),
    ("deeper again", 1, press_button("Deeper"), lambda s: s.click("Deeper")),
    ("reconnect without the session", 0, lambda p: reconnect(p, forget=True), lambda s: s.reconnect()),
    ("restored in a new session", 2, press_button("Redraw"), lambda s: s.click("Redraw")),
    ("after it", 1, press_button("Redraw"), lambda s: s.click("Redraw")),
]
PAGE_STEPS = [
    ("widget that will be lost", 1, choose("Box", "green"), lambda s: s.set("box", "green")),
    ("link to this page", 1, lambda p: p.get_by_text("To the first").click(), lambda s: s.follow(s.page_links()[1])),
    ("link with a query", 1, lambda p: p.get_by_text("To the second").click(), lambda s: s.follow(s.page_links()[0])),
    ("bound on this page", 1, press_slider("Size", "End"), lambda s: s.set("size", "L")),
    ("st.rerun", 1, press_button("Run twice"), lambda s: s.click("Run twice")),
    ("st.query_params", 1, press_button("Extra parameter"), lambda s: s.click("Extra parameter")),
    ("value set by the script", 1, press_button("Depth 4"), lambda s: s.click("Depth 4")),
    ("after it", 1, press_button("Run twice"), lambda s: s.click("Run twice")),
    ("back over st.query_params", 1, lambda p: p.go_back(), lambda s: s.back()),
    ("back to the first page", 1, lambda p: p.go_back(), lambda s: s.back()),
    ("forward", 1, lambda p: p.go_forward(), lambda s: s.forward()),
    ("fragment after Forward", 1, type_in("Number B", "5"), lambda s: s.set("B", 5)),
    (
        "navigation",
        1,
        lambda p: p.get_by_test_id("stTopNavLink").first.click(),
        lambda s: s.follow(""),
    ),
    ("reload", 1, lambda p: p.reload(), lambda s: s.reload()),
]


@pytest.mark.parametrize(
    ("app", "url", "steps", "has_touch"),
    [
        pytest.param("widgets_app", "/?depth=2&note=x", WIDGET_STEPS, False, id="every kind of widget"),
        pytest.param("widgets_app", "/?depth=3", PAGE_STEPS, False, id="pages, history and reload"),
        pytest.param("widgets_app", "/", TICK_STEPS, True, id="changes in one browser tick"),
        pytest.param("containers_app", "/?tab=Two", CONTAINER_STEPS, False, id="containers and moving widgets"),
        pytest.param("address_app", "/?layer=2", ADDRESS_STEPS, False, id="components, address and reconnection"),
    ],
)
def test_both_send_the_same_messages(browser, request, app, url, steps, has_touch):
    server = request.getfixturevalue(app)
    tab = Tab(browser, server, url, has_touch)
    with ClientSession(server, url) as session:
        both(tab, session, steps)
    tab.close()
