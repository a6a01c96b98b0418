"""Small Streamlit apps for the tests of the client; the fixture `serve` writes them to a folder and starts them."""

from typing import Any


def caption(session: Any, name: str) -> str:
    """What the script of a session says of a value or a fragment."""
    return next(text for text in session.texts("caption") if name in text)


# All kinds of widgets on three pages, two fragments, parameters in the URL. It says on screen what it has read.
WIDGETS = """
import streamlit as st


def show(**values):
    st.caption(" ".join(f"{name}={value!r}" for name, value in values.items()))


def first():
    st.title("First")
    show(
        box=st.selectbox("Box", ["red", "green", "blue"], key="box"),
        open_box=st.selectbox("Open box", ["a", "b"], index=None, key="open_box"),
        radio=st.radio("Radio", ["x", "y"], key="radio"),
        many=st.multiselect("Many", ["p", "q", "r"], default=["q"], key="many"),
        pills=st.pills("Pills", ["one", "two"], default="one", key="pills"),
        whole=st.number_input("Whole", 0, 10, 3, key="whole"),
        real=st.number_input("Real", 0.0, 1.0, 0.5, 0.25, key="real"),
        slider=st.slider("Slider", 0, 5, 2, key="slider"),
        toggle=st.toggle("Toggle", key="toggle"),
        line=st.text_input("Line", "old", key="line"),
        area=st.text_area("Area", key="area"),
        clicked=st.button("Click"),
    )
    st.page_link(PAGES[1], label="To the second", query_params={"note": "a b"})
    st.page_link(PAGES[0], label="To the first")
    show(hidden=st.popover("Hidden").checkbox("In the popover", key="hidden"))
    st.markdown("long " * 4000)


def second():
    st.title("Second")
    show(size=st.select_slider("Size", ["S", "M", "L"], key="size", bind="query-params"))
    if st.button("Extra parameter"):
        st.query_params["extra"] = "1"
    if st.button("Run twice"):
        st.rerun()
    st.button("Depth 4", on_click=lambda: st.session_state.update(depth=4))


PAGES = [st.Page(first, default=True), st.Page(second, url_path="second")]
page = st.navigation(PAGES, position="top")
depth = st.sidebar.select_slider("Depth", [1, 2, 3, 4], key="depth", bind="query-params")
page.run()


@st.fragment
def counter(name):
    st.session_state.setdefault(f"runs_{name}", 0)
    st.session_state[f"runs_{name}"] += 1
    value = st.number_input(f"Number {name}", 0, 9, 0, key=name)
    show(name=name, value=value, depth=depth, runs=st.session_state[f"runs_{name}"])


counter("A")
counter("B")
"""

# The address component as the app has it, and a component with a state and triggers.
ADDRESS = '''
import itertools
import uuid

import streamlit as st

ADDRESS = st.components.v2.component(
    "encoder_walkthrough.address",
    js="""
let session, lastStep = 0;
const canonical = query => new URLSearchParams(query).toString();
export default ({ data, setTriggerValue }) => {
    const present = canonical(location.search);
    if (data.session !== session) {
        session = data.session;
        lastStep = data.step;
        if (present !== canonical(data.read)) {
            setTriggerValue("restore", location.search.slice(1));
            return;
        }
    }
    if (canonical(data.query) !== present) {
        const url = location.pathname + (data.query ? "?" + data.query : "");
        history[data.step > lastStep ? "pushState" : "replaceState"]({}, "", url);
    }
    lastStep = data.step;
};
""",
)
BOARD = st.components.v2.component(
    "encoder_walkthrough.board",
    html="<button class=cell>Cell</button><button class=hint>Hint</button>",
    js="""
export default ({ parentElement, data, setStateValue, setTriggerValue }) => {
    parentElement.querySelector(".cell").onclick = () => setStateValue("cell", { row: data.rows, share: 0.5 });
    parentElement.querySelector(".hint").onclick = () => setTriggerValue("hint", "why");
};
""",
)
state = st.session_state
state.setdefault("session", uuid.uuid4().hex)
state.setdefault("layer", 1)
state.setdefault("step", 0)
query = st.query_params.to_dict()
if state.get("read") != query:
    state.layer = int(query.get("layer", 1))
    state.read = query


def restored():
    text = state.address.restore
    state.layer = int(text.partition("layer=")[2] or 1)


def deeper():
    state.layer += 1
    state.step += 1


def clicked():
    state.layer = 7


st.button("Deeper", on_click=deeper)
st.button("Redraw")
hints = itertools.count()


@st.fragment
def board():
    result = BOARD(data={"rows": 3}, key="board", on_cell_change=clicked, on_hint_change=lambda: None)
    st.caption(f"cell={dict(result.cell or {})} hint={result.hint}")
    if st.button("Whole app"):
        st.rerun()


board()
st.caption(f"layer={state.layer}")
ADDRESS(
    data={
        "session": state.session,
        "read": "&".join(f"{key}={value}" for key, value in query.items()),
        "query": f"layer={state.layer}",
        "step": state.step,
    },
    key="address",
    on_restore_change=restored,
)
'''

# Containers whose state the browser reports, a fragment that runs by itself, an exception, widgets that move.
CONTAINERS = """
import streamlit as st

one, two = st.tabs(["One", "Two"], key="tab", on_change="rerun", bind="query-params")
st.expander("More", key="more", on_change="rerun", bind="query-params").caption("inside")
menu = st.popover("Menu", key="menu", on_change="rerun")
st.caption(f"tab={st.session_state.tab} more={st.session_state.more} menu={st.session_state.menu}")
state = st.session_state
count = menu.number_input("Fields", 0, 5, 2, key="count")
for index in range(count):
    if index == 0 and st.toggle("Note before the fields"):
        st.info("A note")
    st.text_input(f"Field {index}", f"text {index}", key=f"field {index}")
st.button("Off", disabled=True)
if st.toggle("Fail"):
    raise RuntimeError("as asked")


@st.fragment(run_every=3600)
def clock():
    state.ticks = state.get("ticks", 0) + 1
    st.caption(f"ticks={state.ticks}")


if not st.toggle("Without the clock"):
    clock()
"""
