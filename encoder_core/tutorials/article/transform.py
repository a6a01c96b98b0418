"""A function of the article's encoder as two pure functions, as `hk.transform` makes them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from encoder_core.encoder import Encoder
from encoder_core.parameters import Parameters, draw_parameters
from encoder_core.recipes.article import WRITTEN

Ids = Int[np.ndarray, "batch seq"]
Outputs = Float[np.ndarray, "batch seq d_model"]


class Transformed(NamedTuple):
    """What `transform` returns.

    init   (seed, dummy ids) -> parameters
    apply  (parameters, ids) -> output
    """

    init: Callable[[int, Ids], Parameters]
    apply: Callable[[Parameters, Ids], Outputs]


def transform(model: Callable[[Encoder, Ids], Outputs]) -> Transformed:
    """A function of the article's encoder as a pair of pure functions, like `hk.transform`."""

    def init(seed: int, ids: Ids) -> Parameters:
        return draw_parameters(WRITTEN, seed)

    def apply(parameters: Parameters, ids: Ids) -> Outputs:
        return model(Encoder.from_parameters(WRITTEN, parameters), ids)

    return Transformed(init, apply)
