"""The type of the arrays of functions that compute with NumPy as with JAX."""

from typing import TypeVar

import numpy as np
from jaxtyping import Array

AnyArray = TypeVar("AnyArray", np.ndarray, Array)  # arrays of NumPy or of JAX; the result is of the same library
