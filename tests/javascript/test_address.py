"""The component that writes the URL."""

import pytest

_UPDATE = """async data => {
    const sent = [];
    const { default: update } = await import("/address_bar/address.js");
    update({ data, setTriggerValue: (name, value) => sent.push([name, value]) });
    await new Promise(done => setTimeout(done));
    return sent;
}"""


_APP = """script => {
    document.body.innerHTML = `<div data-testid="stApp" data-test-connection-state="CONNECTED"></div>`;
    document.querySelector("div").dataset.testScriptState = script;
    window.popped = 0;
    window.addEventListener("popstate", () => window.popped++);
}"""
_CONNECTION = "state => { document.querySelector('div').dataset.testConnectionState = state; }"


@pytest.fixture
def address(scripts, origin):
    """A page at /softmax?seq=5, and a function that updates the component on it."""
    scripts.page.goto(f"{origin}/softmax?seq=5#part")

    def update(query: str, step: int = 0, session: str = "one", read: str = "seq=5") -> tuple[str, int, list]:
        before = scripts.page.evaluate("history.length")
        sent = scripts.page.evaluate(_UPDATE, {"session": session, "read": read, "query": query, "step": step})
        url = scripts.page.url.removeprefix(origin)
        return url, scripts.page.evaluate("history.length") - before, sent

    update.page = scripts.page
    return update


def test_query_is_written_in_place(address):
    assert address("seq=6") == ("/softmax?seq=6#part", 0, [])


def test_step_is_a_new_entry_of_the_history(address):
    address("seq=5")
    assert address("seq=6", step=1) == ("/softmax?seq=6#part", 1, [])
    assert address("seq=7", step=1) == ("/softmax?seq=7#part", 0, [])
    address.page.go_back()
    assert address.page.url.endswith("/softmax?seq=5#part")


def test_first_update_of_a_session_is_no_step(address):
    assert address("seq=6", step=3) == ("/softmax?seq=6#part", 0, [])


def test_empty_query_leaves_no_question_mark(address):
    assert address("") == ("/softmax#part", 0, [])


def test_same_parameters_in_another_encoding_are_not_written(address, origin):
    address.page.goto(f"{origin}/softmax?text=a%20b")
    assert address("text=a+b", read="text=a+b") == ("/softmax?text=a%20b", 0, [])


def test_new_session_that_began_with_another_query_gets_that_of_the_url(address):
    assert address("seq=9", session="two", read="seq=9") == ("/softmax?seq=5#part", 0, [["restore", "seq=5"]])
    assert address("seq=5", session="two", read="seq=9") == ("/softmax?seq=5#part", 0, [])


def test_links_to_stages_get_the_query(address, origin):
    address.page.evaluate(
        """() => document.body.innerHTML = `<div class="st-key-rail"><a href="/qkv?seq=1">a</a>
            <a href="https://example.org/?seq=1">b</a></div><a href="/other?seq=1">c</a>`"""
    )
    address("seq=6&layer=2")
    links = address.page.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert links == [
        f"{origin}/qkv?seq=6&layer=2",
        "https://example.org/?seq=1",
        f"{origin}/other?seq=1",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", "?", True),
        ("a=1&b=2", "?a=1&b=2", True),
        ("a=%C3%A9", "a=é", True),
        ("a=1", "a=2", False),
        ("a=", "", False),
    ],
)
def test_comparison_of_queries(scripts, one, other, same):
    assert scripts.call("address_bar/address.js", "isSameQuery", one, other) is same


@pytest.mark.parametrize(
    ("fragment", "script", "popped"), [(False, "notRunning", 1), (True, "notRunning", 0), (False, "running", 0)]
)
def test_url_is_read_again_after_a_lost_connection(address, fragment, script, popped):
    address.page.evaluate(_APP, script)
    address.page.evaluate(
        _UPDATE, {"session": "one", "read": "seq=5", "query": "seq=5", "step": 0, "fragment": fragment}
    )
    for state in ("PINGING_SERVER", "CONNECTING"):
        address.page.evaluate(_CONNECTION, state)
        assert address.page.evaluate("window.popped") == 0
    address.page.evaluate(_CONNECTION, "CONNECTED")
    assert address.page.evaluate("window.popped") == popped


_FIELD_AND_FIGURE = """() => {
    document.body.innerHTML = `<textarea></textarea><div class="js-plotly-plot">figure</div>`;
    document.querySelector("div").onmousedown = event => event.preventDefault();  // as Plotly does
    document.querySelector("textarea").focus();
}"""


def test_a_click_on_a_figure_leaves_a_field_so_that_its_text_is_applied(address):
    address("seq=5")
    address.page.evaluate(_FIELD_AND_FIGURE)
    box = address.page.locator(".js-plotly-plot").bounding_box()
    address.page.mouse.click(box["x"] + 5, box["y"] + 5)
    assert address.page.evaluate("document.activeElement === document.body")


def test_the_feedback_to_an_answer_is_scrolled_to_where_it_is_below_the_window(address):
    def show(state: str) -> float:
        content = "<div style='height: 1500px'></div><div class=stAlert>Yes</div><div style='height: 1500px'></div>"
        address.page.evaluate("html => { document.body.innerHTML = html; }", f"<div class={state}>{content}</div>")
        address("seq=5")
        return address.page.evaluate("scrollY")

    assert show("st-key-figure_is_shown") == 0  # answered before
    assert show("st-key-figure_is_hidden") == 0
    assert 1000 < show("st-key-figure_is_shown") < 1500
