"""Which widgets are mounted, and what their React components do when they appear, change and go."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.client.kinds import KINDS
from benchmarks.client.nodes import BlockNode, ElementNode, Node, TransientNode, widget_id
from benchmarks.client.url_binding import Binding, Bindings
from benchmarks.client.widget_states import WidgetStateManager

Path = tuple[tuple[str, str], ...]  # React's keys from the root, with the types of the blocks
STATEFUL_BLOCKS = ("expandable", "popover", "tab_container")


@dataclass(frozen=True)
class Mounted:
    """A widget, a component, or a container whose state the browser holds."""

    path: Path
    node: ElementNode | BlockNode

    @property
    def proto(self) -> Any:
        """The element or the block without its envelope, such as a Selectbox."""
        envelope = self.node.element if isinstance(self.node, ElementNode) else self.node.block
        return getattr(envelope, self.node.kind)

    @property
    def id(self) -> str:
        """The widget id; "" for a container that keeps its state for itself."""
        return self.proto.id

    @property
    def key(self) -> str:
        """The `key` that the script gave, or ""."""
        name = "-".join(self.id.split("-")[2:])
        return "" if name == "None" else name


class Mounts:
    """All that is mounted, by widget id (containers without one: by their path)."""

    def __init__(
        self, states: WidgetStateManager, bindings: Bindings, component_changed: Callable[[Mounted, Any], None]
    ) -> None:
        self._states = states
        self._bindings = bindings
        self._component_changed = component_changed
        self.open: dict[Path, bool] = {}  # popovers
        self.all: dict[str | Path, Mounted] = {}

    def update(self, root: BlockNode) -> None:
        """Render the tree: mount, update and unmount."""
        before, self.all = self.all, dict(self._collect(root, ()))
        for key, gone in before.items():
            if key not in self.all or self.all[key].path != gone.path:
                self._bindings.unregister(gone.id)
        paths = {mounted.path for mounted in self.all.values()}
        self.open = {path: is_open for path, is_open in self.open.items() if path in paths}
        for key, new in self.all.items():
            old = before.get(key)
            self._render(new, old if old is not None and old.path == new.path else None)

    def _collect(self, block: BlockNode, path: Path) -> Iterator[tuple[str | Path, Mounted]]:
        seen: set[str] = set()
        for index, child in _rendered_children(block):
            identity = _react_id(child)
            key = identity or index
            if key in seen:
                continue
            seen.add(key)
            here = (*path, (key, child.kind))
            if isinstance(child, ElementNode):
                if identity:
                    yield identity, Mounted(here, child)
            elif child.children or child.block.allow_empty:
                mounted = Mounted(here, child)
                if child.kind in STATEFUL_BLOCKS:
                    yield mounted.id or here, mounted
                if self.shows_children(mounted):
                    yield from self._collect(child, here)

    def shows_children(self, mounted: Mounted) -> bool:
        """Whether what is inside of a container is mounted: not in a closed popover or dialog."""
        if mounted.node.kind == "popover":
            return self.open.get(mounted.path, mounted.proto.open)
        return mounted.node.kind != "dialog" or mounted.proto.is_open

    def _render(self, new: Mounted, old: Mounted | None) -> None:
        if old is not None and old.node is new.node:
            return
        if new.node.kind == "bidi_component":
            if old is None or old.proto.json != new.proto.json or old.node.fragment != new.node.fragment:
                data = json.loads(new.proto.json) if new.proto.WhichOneof("data") == "json" else None
                self._component_changed(new, data)
        elif new.node.kind in KINDS:
            self._render_widget(new, old)
        elif new.node.kind in STATEFUL_BLOCKS and new.id:
            self._render_container(new, old)

    def _render_widget(self, new: Mounted, old: Mounted | None) -> None:
        kind, element = KINDS[new.node.kind], new.proto
        field, state = kind.state_field(element), self._states.get(new.id)
        value = kind.stored(element, state) if state is not None else None
        if old is None:
            if value is None:
                value = kind.current(element) if element.set_value else kind.default(element)
            self._states.keep(new.id, field, value)
        if element.HasField("query_param_key"):
            default = kind.url_default(element)
            self._bindings.register(new.id, Binding(element.query_param_key, default, kind.clearable(element)))
        if element.set_value:
            element.set_value = False
            value = kind.current(element)
            self._states.keep(new.id, field, value)
        if new.node.kind == "button_group" and value and not set(value) & set(kind.options(element)):
            self._states.keep(new.id, field, kind.current(element) or kind.default(element))

    def _render_container(self, new: Mounted, old: Mounted | None) -> None:
        proto, kind = new.proto, new.node.kind
        if kind != "popover" and proto.HasField("query_param_key"):
            default = proto.default_tab_label if kind == "tab_container" else proto.default_expanded
            self._bindings.register(new.id, Binding(proto.query_param_key, default, clearable=False))
        if old is None:
            return
        if kind == "tab_container":
            if proto.default_tab_index != old.proto.default_tab_index:
                self._states.keep(new.id, "string_value", tab_labels(new)[proto.default_tab_index])
        else:
            is_open = "open" if kind == "popover" else "expanded"
            value = getattr(proto, is_open)
            if proto.HasField(is_open) and value != getattr(old.proto, is_open):
                self._states.keep(new.id, "bool_value", value)
                self.open[new.path] = value


def tab_labels(mounted: Mounted) -> list[str]:
    """The labels of the tabs in a tab container."""
    assert isinstance(mounted.node, BlockNode)
    return [child.block.tab.label for child in mounted.node.children if isinstance(child, BlockNode)]


def _rendered_children(block: BlockNode) -> Iterator[tuple[str, ElementNode | BlockNode]]:
    """The children with their indices, with those that are retained in between, without transient elements."""
    retained, index = list(block.retained), 0
    for position, child in enumerate((*block.children, None)):
        while retained and min(retained[0].before, len(block.children)) <= position:
            yield "", retained.pop(0).node
        node: Node | None = child.anchor if isinstance(child, TransientNode) else child
        if node is not None and not isinstance(node, TransientNode):
            yield str(index), node
            index += 1


def _react_id(node: ElementNode | BlockNode) -> str:
    return (widget_id(node.element) or "") if isinstance(node, ElementNode) else node.block.id
