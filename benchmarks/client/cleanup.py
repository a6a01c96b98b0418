"""What is removed from the element tree when a run begins or ends, and when the page changes."""

from dataclasses import dataclass, replace

from benchmarks.client.nodes import BlockNode, ElementNode, Node, TransientNode
from benchmarks.client.retained import keep_present


@dataclass(frozen=True)
class _Stale:
    """Removes what a finished run has not written: all of it, or for fragments only what is inside of them."""

    run: str
    fragments: tuple[str, ...]
    inside: str = ""  # the fragment whose block is being visited

    def visit(self, node: Node) -> Node | None:
        if isinstance(node, ElementNode):
            outside = bool(self.fragments) and not (node.fragment and self.inside)
            return node if node.kind == "toast" or outside or node.run == self.run else None
        if isinstance(node, TransientNode):
            if node.run == self.run and not node.elements and node.anchor is not None:
                return self.visit(node.anchor)
            return _filtered_transient(node, self)
        inner = self
        if self.fragments:
            if self.inside and node.run != self.run:
                return None
            if node.fragment in self.fragments and node.run == self.run:
                inner = replace(self, inside=node.fragment)
        elif node.run != self.run:
            return None
        children = [inner.visit(child) for child in node.children]
        retained = keep_present(
            node.retained, [child is not None for child in children], lambda kept: inner.visit(kept.node) is not None
        )
        unchanged = all(new is old for new, old in zip(children, node.children, strict=True))
        if unchanged and retained is node.retained:
            return node
        return replace(node, children=_present(children), run=self.run, retained=retained)


@dataclass(frozen=True)
class _OtherScripts:
    """Removes what another script than the entrypoint has written."""

    script: str

    def visit(self, node: Node) -> Node | None:
        if isinstance(node, TransientNode):
            return _filtered_transient(node, self)
        if node.script != self.script:
            return None
        if isinstance(node, ElementNode):
            return node
        children = [self.visit(child) for child in node.children]
        if all(new is old for new, old in zip(children, node.children, strict=True)) and not node.retained:
            return node
        return replace(node, children=_present(children), retained=())


@dataclass(frozen=True)
class _Transient:
    """Removes transient elements when a run begins; with fragments, only inside of them."""

    fragments: tuple[str, ...]

    def visit(self, node: Node) -> Node | None:
        if isinstance(node, ElementNode):
            return node
        if isinstance(node, TransientNode):
            return node.anchor
        if self.fragments and node.fragment and node.fragment not in self.fragments:
            return node
        children = [self.visit(child) for child in node.children]
        if all(new is old for new, old in zip(children, node.children, strict=True)):
            return node
        present = [child is not None for child in children]
        return replace(
            node, children=_present(children), retained=keep_present(node.retained, present, lambda kept: True)
        )


def _filtered_transient(node: TransientNode, visitor: _Stale | _OtherScripts) -> Node | None:
    anchor = visitor.visit(node.anchor) if node.anchor is not None else None
    elements = tuple(element for element in node.elements if visitor.visit(element) is not None)
    return TransientNode(node.run, anchor, elements) if elements else anchor


def _present(children: list[Node | None]) -> tuple[Node, ...]:
    return tuple(child for child in children if child is not None)


def _visit_parts(root: BlockNode, visitor: _Stale | _OtherScripts | _Transient, script: str) -> tuple[Node, ...]:
    return tuple(visitor.visit(part) or BlockNode(script) for part in root.children)


def clear_stale(root: BlockNode, run: str, fragments: tuple[str, ...]) -> BlockNode:
    """The tree at the end of a run of these fragments, or of the whole app if there are none."""
    return replace(root, children=_visit_parts(root, _Stale(run, fragments), root.script), run=run, retained=())


def keep_main_script(root: BlockNode, script: str) -> BlockNode:
    """The tree when the page changes: only what the entrypoint (the script with this hash) has written."""
    return BlockNode(script, _visit_parts(root, _OtherScripts(script), script), root.block, _main_run(root))


def clear_transient(root: BlockNode, fragments: tuple[str, ...]) -> BlockNode:
    """The tree at the beginning of a run."""
    return replace(root, children=_visit_parts(root, _Transient(fragments), root.script), run=_main_run(root))


def _main_run(root: BlockNode) -> str:
    main = root.children[0]
    return main.run
