"""The element tree of the frontend, `AppRoot`, and what a delta does to it."""

from dataclasses import replace

from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsgMetadata

from benchmarks.client.nodes import BlockNode, ElementNode, Node, TransientNode
from benchmarks.client.retained import retain_replaced, shift_after


def apply_delta(root: BlockNode, run: str, delta: Delta, metadata: ForwardMsgMetadata, message_hash: str) -> BlockNode:
    """The tree after a delta. Raises ValueError for a path that does not exist: the page in a browser breaks."""
    path, script = tuple(metadata.delta_path), metadata.active_script_hash
    before = _node_at(root, path)
    kind = delta.WhichOneof("type")
    new: Node
    if kind == "new_element":
        element = delta.new_element
        if message_hash and isinstance(before, ElementNode) and before.hash == message_hash:
            same_kind = before.kind == element.WhichOneof("type")
            element = before.element if same_kind and not element.has_one_shot_effect else element
        new = ElementNode(element, run, script, delta.fragment_id, message_hash)
    elif kind == "add_block":
        block, old = delta.add_block, before.anchor or before if isinstance(before, TransientNode) else before
        new = BlockNode(script, (), block, run, delta.fragment_id)
        if isinstance(old, BlockNode) and old.kind == new.kind:
            another_dialog = new.kind == "dialog" and block.id != old.block.id
            new = new if another_dialog else replace(new, children=old.children, retained=old.retained)
    elif kind == "new_transient":
        elements = (ElementNode(x, run, script, delta.fragment_id, "") for x in delta.new_transient.elements)
        new = TransientNode(run, None, tuple(elements))
    else:
        raise ValueError(f"unknown delta {kind}")
    tree = _set_at(root, path, new, run)
    assert isinstance(tree, BlockNode)
    return tree


def _node_at(node: Node | None, path: tuple[int, ...]) -> Node | None:
    for index in path:
        node = node.anchor if isinstance(node, TransientNode) else node
        if not isinstance(node, BlockNode) or index >= len(node.children):
            return None
        node = node.children[index]
    return node


def _set_at(node: Node, path: tuple[int, ...], new: Node, run: str) -> Node:
    if not path:
        if isinstance(node, TransientNode):
            return _put_over(new, node)
        return replace(new, anchor=node) if isinstance(new, TransientNode) and new.anchor is None else new
    if isinstance(node, TransientNode) and node.anchor is not None:
        return replace(node, anchor=_set_at(node.anchor, path, new, run))
    if not isinstance(node, BlockNode) or path[0] > len(node.children):
        raise ValueError(f"no element can be put at {path}")
    index, rest = path[0], path[1:]
    children, inserted = list(node.children), False
    if index == len(children):
        if rest:
            raise ValueError(f"no element can be put at {path}")
        children.append(new)
    else:
        old = children[index]
        put = _set_at(old, rest, new, run)
        inserted = isinstance(put, TransientNode) and not isinstance(old, TransientNode) and put.anchor is not old
        children[index : index + 1] = [put, old] if inserted else [put]
    retained = node.retained
    if inserted and not rest:
        retained = shift_after(retained, index)
    elif not rest:
        previous = node.children[index] if index < len(node.children) else None
        retained = retain_replaced(retained, index, previous, children[index], run)
    return BlockNode(node.script, tuple(children), node.block, run, node.fragment, retained)  # `replace` is slow


def _put_over(new: Node, old: TransientNode) -> Node:
    """What replaces a transient node: a new transient node keeps its anchor, others its elements of this run."""
    if isinstance(new, TransientNode):
        return new if new.anchor is not None else replace(new, anchor=old.anchor)
    if old.run != new.run or not old.elements:
        return new
    kept = tuple(element for element in old.elements if element.run == new.run)
    return TransientNode(new.run, new, kept) if kept else new
