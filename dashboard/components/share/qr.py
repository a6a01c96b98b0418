"""A QR code as the path of an SVG."""

from typing import NamedTuple

import segno

QUIET_ZONE = 4  # modules around the code that stay white (ISO/IEC 18004, section 6.3.8)


class Code(NamedTuple):
    """The width of the code with its quiet zone, in modules, and the path of the dark ones."""

    size: int
    path: str


def qr_path(text: str) -> Code:
    """The QR code of a text of up to 2,953 bytes; neighbouring dark modules of a row are one rectangle.

    Raises segno.DataOverflowError for a longer text.
    """
    matrix = segno.make_qr(text, error="l").matrix  # a screen has no scratches: fewer modules, and they are larger
    parts = []
    for y, row in enumerate(matrix, QUIET_ZONE):
        x = 0
        while x < len(row):
            width = 0
            while x + width < len(row) and row[x + width]:
                width += 1
            if width:
                parts.append(f"M{x + QUIET_ZONE} {y}h{width}v1h-{width}z")
            x += width + 1
    return Code(len(matrix) + 2 * QUIET_ZONE, "".join(parts))
