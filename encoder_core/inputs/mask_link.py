"""The text of a custom mask in a link: starting point, axes, and the cells that were set, compressed.

`causal.2` is a causal mask of two axes. `all.4.1x4x18x18.Y2BgZ...` has cells that were set: their sizes, then two bits
for each, all bits for "visible" before all bits for "hidden", compressed with deflate and written in base64url.
"""

import base64
import binascii
import math
import re
import zlib

import numpy as np

from encoder_core.inputs.custom_mask import HIDDEN, SHAPES, STARTS, VISIBLE, CustomMask

MAX_LENGTH = 4_000  # characters. Servers in front of the app allow 8,000 for a whole URL
_LARGEST = {"batch": 32, "heads": 16, "seq": 128}  # no encoder of the app has more
_MAX_CELLS = 8 * 16 * 64 * 64
_ALLOWED = "allowed are a start and axes, such as causal.2, and the cells as this app writes them"
_FORM = re.compile(r"([a-z]+)\.([a-z0-9]+)(?:\.(\d{1,3}(?:x\d{1,3}){1,3})\.([\w-]+))?", re.ASCII)


def format_mask(mask: CustomMask) -> str:
    """The text of a mask. It can be longer than `MAX_LENGTH`; no link can contain it then."""
    text = f"{mask.start}.{mask.axes}"
    if not mask.cells:
        return text
    planes = np.packbits([mask.cell_array == VISIBLE, mask.cell_array == HIDDEN])
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.urlsafe_b64encode(deflate.compress(planes.tobytes()) + deflate.flush()).decode().rstrip("=")
    return f"{text}.{'x'.join(map(str, mask.shape))}.{packed}"


def parse_mask(text: str) -> CustomMask:
    """The mask of a text. Raises ValueError, which says what is allowed, for any other text."""
    form = _FORM.fullmatch(text[: MAX_LENGTH + 1])
    if len(text) > MAX_LENGTH:
        raise ValueError(f"allowed are at most {MAX_LENGTH:,} characters")
    if form is None:
        raise ValueError(_ALLOWED)
    start, name, sizes, packed = form.groups()
    axes = next((axes for axes in SHAPES if axes == name), None)
    if axes is None:
        raise ValueError(f"allowed axes are {', '.join(SHAPES)}")
    known = next((known for known in STARTS[axes] if known == start), None)
    if known is None:
        raise ValueError(f"allowed starts of the axes {axes} are {', '.join(STARTS[axes])}")
    if packed is None:
        return CustomMask(axes, known)
    shape = tuple(map(int, sizes.split("x")))
    largest = CustomMask(axes).sizes(**_LARGEST)
    if len(shape) != len(largest) or not 0 < math.prod(shape) <= _MAX_CELLS or any(map(int.__gt__, shape, largest)):
        raise ValueError(f"allowed are the sizes of {SHAPES[axes]}, at most {'x'.join(map(str, largest))}")
    visible, hidden = _unpacked(packed, 2 * math.prod(shape)).reshape(2, *shape)
    if (visible & hidden).any():
        raise ValueError("allowed are cells that are visible or hidden, not both")
    return CustomMask.from_cells(axes, known, (VISIBLE * visible + HIDDEN * hidden).astype(np.int8))


def _unpacked(packed: str, count: int) -> np.ndarray:
    """This many bits. Raises ValueError if the text has fewer or more."""
    length = -(-count // 8)
    inflate = zlib.decompressobj(-15)
    try:
        data = inflate.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), length + 1)
    except (zlib.error, binascii.Error):
        raise ValueError(_ALLOWED) from None
    if len(data) != length or not inflate.eof or inflate.unused_data:
        raise ValueError(_ALLOWED)
    return np.unpackbits(np.frombuffer(data, np.uint8), count=count)
