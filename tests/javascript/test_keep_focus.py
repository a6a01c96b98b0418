"""The focus of the keyboard stays near its place when a run of the page removes what had it."""

import pytest

_PAGE = """async () => {
    const row = (...names) => names.map(name => `<div data-testid="stElementContainer" class="st-key-${name}"
        style="display: inline-block; width: 100px"><button>${name}</button></div>`).join("");
    document.body.innerHTML = `<div data-testid="stApp" data-test-script-state="notRunning">
        <div data-testid="stMain"><div id="first">${row("run", "pause", "stop")}</div>
        <div id="second">${row("undo", "redo", "reset")}</div><input></div></div>`;
    (await import("/shared/keep_focus.js")).keepFocus();
}"""
# A run that changes the page, between its first message and its last.
_RUN = """async ([change, names]) => {
    const app = document.querySelector("[data-testid=stApp]");
    // A button that is disabled loses the focus when the page is painted, which takes as long as it takes.
    const frame = () => new Promise(done =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))));
    app.dataset.testScriptState = "running";
    await frame();
    for (const name of names) {
        const part = document.querySelector(`.st-key-${name}`), button = part.querySelector("button");
        if (change === "remove") part.remove();
        if (change === "disable") button.disabled = true;
        if (change === "move") document.querySelector("#second").append(part.cloneNode(true)), part.remove();
        if (change === "replace") button.replaceWith(button.cloneNode(true));
    }
    await frame();
    const during = document.activeElement.textContent;
    app.dataset.testScriptState = "notRunning";
    await frame();
    return [during, document.activeElement === document.body ? null : document.activeElement.textContent];
}"""


@pytest.fixture
def page(scripts, origin):
    """A page with two rows of buttons and a field."""
    scripts.page.goto(origin)
    scripts.page.evaluate(_PAGE)
    yield scripts.page
    scripts.page.goto("about:blank")


def press(page, name):
    """Go to a button with the keyboard, and press it."""
    page.keyboard.press("Shift")
    page.locator(f".st-key-{name} button").press("Enter")


@pytest.mark.parametrize(
    ("pressed", "change", "names", "focused"),
    [
        ("pause", "replace", ["pause"], "pause"),
        ("pause", "move", ["pause"], "pause"),
        ("stop", "remove", ["stop"], "pause"),
        ("pause", "remove", ["pause"], "stop"),  # which has moved to its place
        ("reset", "disable", ["reset"], "redo"),
        ("undo", "disable", ["undo", "redo"], "reset"),
        ("redo", "remove", ["undo", "redo", "reset"], "pause"),  # above it: its row is empty
        ("redo", "nothing", [], "redo"),
    ],
)
def test_the_focus_goes_to_the_same_control_or_the_nearest(page, pressed, change, names, focused):
    press(page, pressed)
    assert page.evaluate(_RUN, [change, names])[1] == focused


def test_it_waits_for_the_end_of_the_run(page):
    press(page, "pause")
    during, after = page.evaluate(_RUN, ["remove", ["pause"]])
    assert during != "stop"
    assert after == "stop"


def test_what_is_removed_after_the_end_counts_too(page):
    press(page, "pause")
    page.evaluate("document.querySelector('.st-key-pause').remove()")
    page.wait_for_function("document.activeElement.textContent === 'stop'")


def test_after_the_mouse_nothing_is_moved(page):
    press(page, "undo")
    page.locator(".st-key-pause button").click()
    assert page.evaluate(_RUN, ["remove", ["pause"]])[1] is None


def test_another_page_begins_at_its_top(page):
    press(page, "pause")
    page.evaluate("history.pushState({}, '', '/other')")
    assert page.evaluate(_RUN, ["remove", ["pause"]])[1] is None


def test_who_has_left_the_control_is_not_brought_back(page):
    press(page, "pause")
    page.evaluate("document.activeElement.blur()")
    assert page.evaluate(_RUN, ["nothing", []])[1] is None
