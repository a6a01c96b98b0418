"""Widgets that another element has replaced during a run.

A script that runs again may write a widget further down than before. Until the run ends the frontend keeps what was
overwritten, so that a widget that only moves inside its container stays mounted.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.client.nodes import BlockNode, ElementNode, Node, Retained, TransientNode, widget_id

_NEVER = {"toast", "audio", "video", "camera_input", "audio_input"}


def retain_replaced(
    retained: tuple[Retained, ...], index: int, previous: Node | None, new: Node, run: str
) -> tuple[Retained, ...]:
    """What is retained after a child has been replaced. `run` is the current script run."""
    before = previous.anchor if isinstance(previous, TransientNode) else previous
    after = new.anchor if isinstance(new, TransientNode) else new
    outdated = isinstance(before, ElementNode) and before.run != run
    if after is None or after is before or (not retained and not outdated):
        return retained
    new_id = widget_id(after.element) if isinstance(after, ElementNode) else None
    kept = tuple(x for x in retained if x.id != new_id)
    if before is not None and _same_identity(before, after):
        return kept
    moved = [replace(x, before=index + 1) for x in kept if x.before == index]
    kept = tuple(x for x in kept if x.before != index)
    if outdated and isinstance(before, ElementNode) and before.kind not in _NEVER:
        old_id = widget_id(before.element)
        if old_id is not None and old_id != new_id and all(x.id != old_id for x in kept):
            moved.append(Retained(before, old_id, index + 1))
    return _inserted(kept, moved)


def shift_after(retained: tuple[Retained, ...], index: int) -> tuple[Retained, ...]:
    """What is retained after a child has been inserted at an index."""
    return tuple(replace(x, before=x.before + 1) if x.before > index else x for x in retained)


def keep_present(
    retained: tuple[Retained, ...], present: Sequence[bool], keep: Callable[[Retained], bool]
) -> tuple[Retained, ...]:
    """What is still retained, at its new indices, after children have been removed. The same object if nothing is."""
    if not retained:
        return retained
    kept = tuple(
        x if sum(present[: x.before]) == x.before else replace(x, before=sum(present[: x.before]))
        for x in retained
        if keep(x)
    )
    unchanged = len(kept) == len(retained) and all(new is old for new, old in zip(kept, retained, strict=True))
    return retained if unchanged else kept


def _same_identity(before: Node, after: Node) -> bool:
    if isinstance(before, ElementNode) and isinstance(after, ElementNode):
        return widget_id(before.element) == widget_id(after.element)
    if isinstance(before, BlockNode) and isinstance(after, BlockNode):
        return before.block.id == after.block.id
    return False


def _inserted(kept: tuple[Retained, ...], moved: list[Retained]) -> tuple[Retained, ...]:
    if not moved:
        return kept
    place = next((i for i, x in enumerate(kept) if x.before >= moved[0].before), len(kept))
    return (*kept[:place], *moved, *kept[place:])
