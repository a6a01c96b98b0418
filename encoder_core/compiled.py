"""All programs compiled ahead, so that no position of a slider waits for a compiler."""

import numpy as np

from encoder_core.capacity import CAPACITIES, capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.recipes import RECIPES


def warm_up(seed: int = 0) -> None:
    """Compile every program and draw the parameters of `seed`, so that nobody waits for it later.

    Those are the programs of all capacities, and of the recipes that none of them serves.
    """
    for capacity in CAPACITIES:
        config = EncoderConfig(
            max_len=capacity.seq,
            d_model=capacity.d_model,
            num_heads=capacity.num_heads,
            d_ff=capacity.d_ff,
            num_layers=capacity.num_layers,
        )
        Encoder.random(config, seed).trace(np.zeros((1, capacity.seq), np.int32))
    for name, recipe in RECIPES.items():
        if capacity_for(recipe.config(), recipe.example.seq) not in CAPACITIES:
            inputs, mask, _ = recipe.inputs(seed)
            Encoder.recipe(name, seed=seed).trace(inputs, mask)
