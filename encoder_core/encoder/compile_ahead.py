"""All programs of random encoders and recipes, compiled before somebody moves a slider."""

from functools import partial

import numpy as np

from encoder_core.blocks.capacity import CAPACITIES, capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.engine.executables import compile_in_turn
from encoder_core.engine.gradients import layer_gradients
from encoder_core.engine.inference import compile_forward
from encoder_core.recipes import RECIPES
from encoder_core.support.progress import Progress
from encoder_core.support.validation import require_integer


def warm_up(seed: int = 0, *, progress: Progress | None = None) -> None:
    """Compile all programs, so that later forward passes compile nothing, and draw small parameters of `seed`.

    These are the programs of all CAPACITIES, those of recipes that are larger, and the gradients of small models.

    progress  called with the number of programs compiled and of all; an exception that it raises ends the warm-up

    Raises ValueError for a `progress` that is no function, and unless the seed is a whole number from 0.
    """
    seed = require_integer("seed", seed, 0)
    of_recipes = (capacity_for(recipe.config(), recipe.example.seq) for recipe in RECIPES.values())
    capacities = dict.fromkeys((*CAPACITIES, *of_recipes))  # the smallest first: a visitor may wait for it
    forward = [partial(compile_forward, capacity) for capacity in capacities]
    compile_in_turn([*forward, partial(_compile_gradients, seed)], progress)


def _compile_gradients(seed: int) -> None:
    run = Encoder.random(EncoderConfig(num_layers=1, final_norm=True), seed).run(np.zeros((1, 1), np.int32))
    layer_gradients(run, np.zeros(run.trace.output.shape))
