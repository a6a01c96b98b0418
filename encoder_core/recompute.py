"""The badge's arithmetic: each stage computed again in float64 NumPy from the tensors shown, and compared with them.

Every function returns the largest difference, as a fraction of the largest magnitude of the result.
"""

import numpy as np
from jaxtyping import Float

from encoder_core.trace import LayerTrace


def difference(shown: Float[np.ndarray, "..."], again: Float[np.ndarray, "..."]) -> float:
    """max |shown - again| / max |again| over the finite cells; infinite where the infinite cells are not the same."""
    finite = np.isfinite(again)
    if not np.array_equal(finite, np.isfinite(shown)):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = np.abs(again[finite]).max() or 1.0
    return float(np.abs(shown[finite] - again[finite]).max() / scale)


def scores(layer: LayerTrace, scale: float) -> float:
    """q . k and its scaled and masked form, of all heads."""
    dots = np.einsum("bhqd,bhkd->bhqk", layer.q.astype(float), layer.k.astype(float))
    scaled = np.where(np.isfinite(layer.scores), dots * scale, -np.inf)
    return max(difference(layer.dot_products, dots), difference(layer.scores, scaled))
