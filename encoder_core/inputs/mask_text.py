"""Masks as people type them: rows of 0 and 1, or nested lists as in code."""

import re

import numpy as np
from jaxtyping import Bool

from encoder_core.support.validation import require_type
from encoder_core.support.wording import shorten

MAX_LENGTH = 50_000  # characters
_MAX_AXES = 4
_FORMS = "write rows of 0 and 1, such as 10/11, or nested lists, such as [[1, 0], [1, 1]]"
_CALL = re.compile(r"(?:\w+\.)*[Aa]rray\((.*)\)", re.DOTALL)
_DTYPE = re.compile(r"\s*dtype\s*=\s*[\w.]+")
_PARTS = re.compile(r"[\[\]]|[^\s,\[\]]+")
_CELLS = {"1": True, "True": True, "true": True, "1.": True, "1.0": True,
          "0": False, "False": False, "false": False, "0.": False, "0.0": False}  # fmt: skip


def parse_mask_text(text: str) -> Bool[np.ndarray, "..."]:
    """The mask in a text, of one to four axes.

    Rows of 0 and 1 stand on lines of their own or between slashes: "100/110/111", "1 0 0 / 1 1 0 / 1 1 1". Nested lists
    can be copied from code or from what NumPy and JAX print: "[[1, 0], [1, 1]]", "[[ True False] [ True True]]",
    "jnp.array([[1, 0], [1, 1]], dtype=bool)".

    Raises ValueError, which says where the text is not a mask.
    """
    require_type("text", text, str, "texts such as 10/11")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the mask has {len(text):,} characters: allowed are at most {MAX_LENGTH:,}.")
    text = _argument(text.strip())
    if not text:
        raise ValueError(f"the mask is empty: {_FORMS}.")
    return _nested(text) if "[" in text or "]" in text else _rows(text)


def _argument(text: str) -> str:
    """The lists in a call such as "jnp.array([[1]], dtype=bool)"; other texts as they are.

    Each expression is read once: one that tried every end of the lists took 5 s for a long text.
    """
    call = _CALL.fullmatch(text)
    if not call:
        return text
    argument = call[1].strip().removesuffix(",").rstrip()
    lists, _, last = argument.rpartition(",")
    return lists if _DTYPE.fullmatch(last) else argument


def format_mask_text(mask: Bool[np.ndarray, "query key"]) -> str:
    """Rows of 0 and 1, one line each."""
    return "\n".join("".join(map(str, row)) for row in np.asarray(mask, int))


def _rows(text: str) -> Bool[np.ndarray, "query key"]:
    rows = [row for line in re.split(r"[/;\n]", text) if (row := _row(line))]
    if not rows:
        raise ValueError(f"the mask is empty: {_FORMS}.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ValueError(f"row {number} of the mask has {len(row)} cells and row 1 has {len(rows[0])}.")
    return np.array(rows)


def _row(text: str) -> list[bool]:
    """The cells of "1100", "1 1 0 0" or "True, True, False, False"."""
    parts = _PARTS.findall(text)
    return [_cell(cell) for part in parts for cell in (part if re.fullmatch("[01]+", part) else [part])]


def _cell(text: str) -> bool:
    if text not in _CELLS:
        raise ValueError(f"“{shorten(text, 20)}” is not a cell of a mask: allowed are 0, 1, False and True.")
    return _CELLS[text]


def _nested(text: str) -> Bool[np.ndarray, "..."]:
    """The array of nested lists. A list inside of another one is finished before it: no recursion."""
    unfinished: list[list[np.ndarray]] = []
    result = None
    for part in _PARTS.findall(text):
        if result is not None or (part != "[" and not unfinished):
            raise ValueError(f"the brackets of the mask do not match: {_FORMS}.")
        if part == "[":
            unfinished.append([])
            if len(unfinished) > _MAX_AXES:
                raise ValueError(f"the mask has more than {_MAX_AXES} axes.")
        elif part == "]":
            finished = _stacked(unfinished.pop())
            if unfinished:
                unfinished[-1].append(finished)
            else:
                result = finished
        else:
            unfinished[-1].append(np.array(_cell(part)))
    if result is None:
        raise ValueError(f"the brackets of the mask do not match: {_FORMS}.")
    return result


def _stacked(parts: list[np.ndarray]) -> np.ndarray:
    if not parts:
        raise ValueError("the mask has an empty list.")
    for number, part in enumerate(parts, 1):
        if part.shape != parts[0].shape:
            raise ValueError(f"the lists of the mask are not equally long: part {number} has the shape {part.shape}, "
                             f"part 1 {parts[0].shape}.")  # fmt: skip
    return np.stack(parts)
