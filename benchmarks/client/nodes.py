"""The nodes of the element tree. They are never changed: a node that is the same object has not been touched."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element

NO_RUN = "NO_SCRIPT_RUN_ID"


def widget_id(element: Element) -> str | None:
    """The id of an element that is a widget or a component."""
    kind = element.WhichOneof("type")
    identity = getattr(getattr(element, kind), "id", "") if kind else ""
    return identity if identity.startswith("$$ID") and identity.count("-") >= 2 else None


@dataclass(frozen=True, eq=False)
class ElementNode:
    """A leaf. The frontend (not the tree) sets `set_value` of its element to False once it has used it."""

    element: Element
    run: str  # script run id
    script: str  # hash of the script that wrote it: the entrypoint's or a page's
    fragment: str  # "" outside of fragments
    hash: str  # of the message, "" for transient elements

    @property
    def kind(self) -> str:
        """The name of the proto field, such as "selectbox"."""
        return self.element.WhichOneof("type") or ""


@dataclass(frozen=True, eq=False)
class Retained:
    """A widget that was replaced in this run, shown before the child with this index."""

    node: ElementNode
    id: str
    before: int


@dataclass(frozen=True, eq=False)
class TransientNode:
    """Elements that are shown for a while, such as a spinner, before the node that they stand in front of."""

    run: str
    anchor: "Node | None"
    elements: tuple[ElementNode, ...]


@dataclass(frozen=True, eq=False)
class BlockNode:
    """A container. `retained` are widgets that were replaced in this run and may appear again in another place."""

    script: str
    children: "tuple[Node, ...]" = ()
    block: Block = field(default_factory=Block)
    run: str = NO_RUN
    fragment: str = ""
    retained: tuple[Retained, ...] = ()

    @property
    def kind(self) -> str:
        """The name of the proto field, such as "expandable"."""
        return self.block.WhichOneof("type") or ""


Node = ElementNode | TransientNode | BlockNode


def empty_root(script: str = "") -> BlockNode:
    """Main area, sidebar, event container, bottom container."""
    part = BlockNode(script, block=Block(allow_empty=True))
    return BlockNode(script, (part, part, part, part), Block(allow_empty=True))


def walk(node: Node) -> Iterator[ElementNode | BlockNode]:
    """All elements and blocks from top to bottom, with what is stale but not removed yet; not what is retained."""
    if isinstance(node, TransientNode):
        yield from node.elements
        if node.anchor is not None:
            yield from walk(node.anchor)
        return
    yield node
    if isinstance(node, BlockNode):
        for child in node.children:
            yield from walk(child)


def active_ids(root: Node) -> set[str]:
    """The ids of all widgets and containers in the tree; those that are retained do not count."""
    ids = set()
    for node in walk(root):
        ids.add(node.block.id if isinstance(node, BlockNode) else widget_id(node.element) or "")
    return ids - {""}
