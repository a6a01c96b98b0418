"""The plane in which vectors vary most: their first two principal components, the same plane at every stage."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh

from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import require_numbers


@compared_by_identity
class PrincipalPlane(NamedTuple):
    """A plane in the space of the vectors, with the share of their variance that it shows.

    origin  (d_model,) the mean of all vectors; its place in the plane is (0, 0)
    axes    (2, d_model) orthonormal; the entry of each with the largest magnitude is positive
    shares  (stage,) of the variance at each stage; NaN where all vectors of the stage are equal
    share   of the variance within all stages together; NaN where it is 0
    """

    origin: Float[np.ndarray, "d_model"]
    axes: Float[np.ndarray, "2 d_model"]
    shares: Float[np.ndarray, "stage"]
    share: float

    def place(self, vectors: Float[np.ndarray, "*row d_model"]) -> Float[np.ndarray, "*row 2"]:
        """The place of each vector in the plane: its orthogonal projection, (x - origin) . axis.

        Raises ValueError for what is no numbers of this width.
        """
        return (self._checked("vectors", vectors) - self.origin) @ self.axes.T

    def direction(self, steps: Float[np.ndarray, "*row d_model"]) -> Float[np.ndarray, "*row 2"]:
        """The part of each step that is in the plane. Steps that add up to x' - x have parts that add up to
        place(x') - place(x).

        Raises ValueError for what is no numbers of this width.
        """
        return self._checked("steps", steps) @ self.axes.T

    def _checked(self, name: str, rows: Float[np.ndarray, "*row d_model"]) -> Float[np.ndarray, "*row d_model"]:
        rows = require_numbers(name, rows, "*row d_model")
        if rows.shape[-1] != len(self.origin):
            raise ValueError(f"{name}: shape={rows.shape} is invalid: allowed are rows of width {len(self.origin)}.")
        return rows.astype(float)


def principal_plane(vectors: Float[np.ndarray, "stage point d_model"]) -> PrincipalPlane:
    """The first two principal components of the deviations of the vectors from their mean at each stage, in float64.

    The components are the eigenvectors of the covariance matrix with the largest eigenvalues (Pearson 1901; Jolliffe
    2002, "Principal Component Analysis", section 1.1). A movement that all vectors share has no influence on the plane.
    Raises ValueError for what is no finite numbers, and for fewer than two dimensions: such vectors are in no plane.
    """
    vectors = require_numbers("vectors", vectors, "stage point d_model")
    if not np.isfinite(vectors).all():
        raise ValueError("the vectors contain values that are not finite: they are in no plane.")
    d_model = vectors.shape[-1]
    if d_model < 2:
        raise ValueError(f"d_model={d_model} is invalid: allowed are whole numbers from 2.")
    rows = vectors.astype(float)
    deviations = rows - rows.mean(axis=1, keepdims=True)
    flat = deviations.reshape(-1, d_model)
    _, eigenvectors = eigh(flat.T @ flat, subset_by_index=[d_model - 2, d_model - 1])
    axes = eigenvectors[:, ::-1].T  # the largest first
    largest = axes[[0, 1], np.abs(axes).argmax(axis=1)]
    axes = axes * np.sign(largest)[:, None]
    in_plane, total = (_with_sum((part**2).sum(axis=(1, 2))) for part in (deviations @ axes.T, deviations))
    ratios = np.divide(in_plane, total, out=np.full(len(total), np.nan), where=total > 0)
    return PrincipalPlane(rows.mean(axis=(0, 1)), axes, ratios[:-1], float(ratios[-1]))


def _with_sum(values: Float[np.ndarray, "stage"]) -> Float[np.ndarray, "stage+1"]:
    return np.append(values, values.sum())
