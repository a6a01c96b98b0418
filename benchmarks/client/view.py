"""What is on screen, as a test reads it."""

import json
from dataclasses import dataclass
from typing import Any

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.Markdown_pb2 import Markdown
from streamlit.proto.PageLink_pb2 import PageLink

from benchmarks.client.frontend import App
from benchmarks.client.kinds import KINDS
from benchmarks.client.mounts import STATEFUL_BLOCKS, Mounted, tab_labels
from benchmarks.client.nodes import ElementNode, walk

BUTTONS = ("button", "download_button")
_HEADINGS = {"title": "h1", "header": "h2", "subheader": "h3"}
_MARKDOWN = {"markdown": (Markdown.NATIVE, Markdown.UNSPECIFIED), "caption": (Markdown.CAPTION,)}
_MARKDOWN |= {"latex": (Markdown.LATEX,), "divider": (Markdown.DIVIDER,)}
_ALERTS = {"error": Alert.ERROR, "warning": Alert.WARNING, "info": Alert.INFO, "success": Alert.SUCCESS}


@dataclass(frozen=True)
class Widget:
    """A widget that can be used: it is mounted. `value` has the form that `ClientSession.set` takes."""

    key: str  # "" without a key
    kind: str  # the name of the proto field, such as "selectbox"
    label: str
    options: tuple[str, ...]
    value: Any
    disabled: bool
    mounted: Mounted

    @property
    def proto(self) -> Any:
        """The element, such as a Selectbox."""
        return self.mounted.proto

    @property
    def fragment(self) -> str:
        """The id of the fragment that it belongs to, or ""."""
        return self.mounted.node.fragment


def widgets(app: App) -> dict[str, Widget]:
    """All widgets and buttons, and containers that can be opened, by key; without a key by label, else by id."""
    widgets: dict[str, Widget] = {}
    for mounted in app.mounts.all.values():
        if mounted.node.kind in (*KINDS, *BUTTONS, *STATEFUL_BLOCKS):
            widget = _widget(app, mounted)
            name = next((x for x in (widget.key, widget.label) if x and x not in widgets), mounted.id)
            if name:  # else these are tabs whose state stays in the browser
                widgets[name] = widget
    return widgets


def _widget(app: App, mounted: Mounted) -> Widget:
    kind, proto = mounted.node.kind, mounted.proto
    label = getattr(proto, "label", "")
    disabled = getattr(proto, "disabled", False)
    options: tuple[str, ...] = ()
    value: Any = None
    if kind in KINDS:
        state = app.widget_states.get(mounted.id)
        options = KINDS[kind].options(proto)
        stored = KINDS[kind].stored(proto, state) if state is not None else None
        value = KINDS[kind].public(proto, stored)
    elif kind in STATEFUL_BLOCKS:
        value = _container_value(app, mounted)
        options = tuple(tab_labels(mounted)) if kind == "tab_container" else ()
    return Widget(mounted.key, kind, label, options, value, disabled, mounted)


def _container_value(app: App, mounted: Mounted) -> Any:
    """Whether an expander or a popover is open; the label of the tab that is shown."""
    kind, proto = mounted.node.kind, mounted.proto
    state = app.widget_states.get(mounted.id) if mounted.id else None
    if kind == "popover":
        return app.mounts.shows_children(mounted)
    if kind == "expandable":
        return app.mounts.open.get(mounted.path, proto.expanded) if state is None else state.bool_value
    return tab_labels(mounted)[proto.default_tab_index] if state is None else state.string_value


def elements(app: App, kind: str) -> list[Any]:
    """All elements of a kind from top to bottom, such as "page_link", mounted or not."""
    of_kind = (node for node in walk(app.root) if isinstance(node, ElementNode) and node.kind == kind)
    return [getattr(node.element, kind) for node in of_kind]


def texts(app: App, kind: str) -> list[str]:
    """The texts of a kind: title, header, subheader, markdown, caption, latex, error, warning, info, success, code,
    text, progress; those in closed containers, too. Raises KeyError for another kind."""
    if kind in _HEADINGS:
        return [x.body for x in elements(app, "heading") if x.tag == _HEADINGS[kind]]
    if kind in _MARKDOWN:
        return [x.body for x in elements(app, "markdown") if x.element_type in _MARKDOWN[kind]]
    if kind in _ALERTS:
        return [x.body for x in elements(app, "alert") if x.format == _ALERTS[kind]]
    field = {"code": "code_text", "text": "body", "progress": "text"}[kind]
    return [getattr(x, field) for x in elements(app, kind)]


def exceptions(app: App) -> list[str]:
    """The exceptions on screen, with their types."""
    return [f"{x.type}: {x.message}" for x in elements(app, "exception")]


def components(app: App, name: str) -> list[Any]:
    """The data of all components v2 with this name, or whose name ends with a dot and this name."""
    named = (x for x in elements(app, "bidi_component") if is_named(x.component_name, name))
    return [json.loads(x.json) if x.WhichOneof("data") == "json" else None for x in named]


def component(app: App, key: str) -> Mounted:
    """The mounted component with a key. Raises KeyError."""
    mounted = [x for x in app.mounts.all.values() if x.node.kind == "bidi_component"]
    for one in mounted:
        if one.key == key:
            return one
    raise KeyError(f"no component {key!r}, there are {[x.key for x in mounted]}")


def is_named(component_name: str, name: str) -> bool:
    """Whether a component has this name, with or without the name of its project."""
    return component_name == name or component_name.endswith(f".{name}")


def page_links(app: App) -> list[PageLink]:
    """The links of `st.page_link`."""
    return elements(app, "page_link")
