"""The cells of the attention kernels, each of which contains the matrices of all heads side by side.

W_Q, W_K and W_V of a head are `d_head` columns of their kernel, W_O is `d_head` rows.
"""

import re
from collections.abc import Mapping

from encoder_core.edits.edit_types import Matrix, SetWeight

_KERNELS: Mapping[Matrix, str] = {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "out"}
_MATRICES = {kernel: matrix for matrix, kernel in _KERNELS.items()}
_NAME = re.compile(r"layers\.(\d+)\.attention\.(\w+)\.kernel")


def kernel_cell(edit: SetWeight, d_head: int) -> tuple[str, tuple[int, int]]:
    """The name of the kernel and the index of the cell that the edit sets."""
    start = edit.head * d_head  # columns (or rows) of the heads before this one
    row, column = (start, 0) if edit.matrix == "W_O" else (0, start)
    return f"layers.{edit.layer}.attention.{_KERNELS[edit.matrix]}.kernel", (row + edit.row, column + edit.column)


def kernel_cell_edit(name: str, index: tuple[int, ...], value: float, d_head: int) -> SetWeight | None:
    """The edit that sets a cell of a parameter; None if it is none of these kernels."""
    match = _NAME.fullmatch(name)
    if match is None or match[2] not in _MATRICES:
        return None
    matrix, (row, column) = _MATRICES[match[2]], index
    head, inside = divmod(row if matrix == "W_O" else column, d_head)
    place = (inside, column) if matrix == "W_O" else (row, inside)
    return SetWeight(matrix, int(match[1]), head, *place, value)
