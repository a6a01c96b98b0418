"""The contrast of two colours, after WCAG 2."""

from collections.abc import Sequence

import numpy as np


def rgb(colour: str) -> list[int]:
    """Red, green and blue of "#rrggbb", from 0 to 255."""
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted([_luminance(one), _luminance(other)])
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Sequence[int]) -> float:
    shares = np.array(colour) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
