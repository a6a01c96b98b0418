"""The same numbers as the tutorials' own libraries, with copied parameters, at float32.

`python -m tests.core.recipes.test_parity` prints the largest difference over 20 seeds, as a fraction of the largest
magnitude of the tensor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from encoder_core import RECIPES, Dropout, Encoder, EncoderTrace
from tests.core.recipes import haiku_reference, linen_reference, nnx_reference
from tests.core.reference import random_parameters, relative_difference

TOLERANCE = 5e-6
SEEDS = range(3)
VARIANTS = ["as intended", "as written"]


def traced(name: str, variant: str, seed: int, *edits: Dropout) -> tuple[Encoder, EncoderTrace]:
    """A recipe with parameters of which none is trivial, on its own batch."""
    recipe = RECIPES[name]
    config = recipe.config(variant)
    encoder = Encoder.from_parameters(config, random_parameters(config, np.random.default_rng(seed)))
    batch = recipe.inputs(seed)
    return encoder, encoder.trace(batch.inputs, batch.mask, edits)


def dropout_of(trace: EncoderTrace):
    """Dropout with the mask that the trace shows; nothing is dropped in evaluation."""

    def drop(layer: int, place: str, x):
        return x if trace.kept is None else jnp.where(getattr(trace.kept.layers[layer], place), x / (1 - 0.1), 0)

    return drop


def largest(pairs) -> float:
    return max(relative_difference(ours, np.asarray(theirs)) for ours, theirs in pairs)


def nnx_difference(variant: str, seed: int, *edits: Dropout) -> float:
    encoder, trace = traced("nnx", variant, seed, *edits)
    blocks = nnx_reference.build(encoder.config, encoder.parameters())
    as_written = variant == "as written"
    left = nnx_reference.run(blocks, trace.embedded, trace.mask, as_written=as_written, drop=dropout_of(trace))
    pairs = [(trace.output, left[-1])]
    if not edits:
        weights = nnx_reference.weights(blocks, trace.embedded, trace.mask, as_written=as_written)
        pairs += zip([layer.pattern for layer in trace.layers], weights, strict=True)
    if not as_written:
        pairs += zip([layer.resid_post for layer in trace.layers], left, strict=True)
    return largest(pairs)


def haiku_difference(variant: str, seed: int, *edits: Dropout) -> float:
    encoder, trace = traced("haiku", variant, seed, *edits)
    keys = trace.mask[:, :1, 0]
    left = haiku_reference.haiku_encoder(encoder.config, encoder.parameters(), trace.embedded, keys, dropout_of(trace))
    return largest(zip([layer.resid_post for layer in trace.layers], left, strict=True))


def nanolm_difference(variant: str, seed: int) -> float:
    encoder, trace = traced("nanolm", variant, seed)
    variables = {"params": linen_reference.nanolm_parameters(encoder.config, encoder.parameters())}
    logits, weights = linen_reference.run_nanolm(encoder.config, variables, trace.ids)
    assert logits.shape == (8, 10, 100)
    return largest([(trace.logits, logits), *zip([layer.pattern for layer in trace.layers], weights, strict=True)])


def annotated_difference(variant: str, seed: int, *edits: Dropout) -> float:
    encoder, trace = traced("annotated", variant, seed, *edits)
    table = encoder.parameters()["token_embedding"]
    embedded = linen_reference.annotated_embedding(trace.ids, table, divide=variant == "as written")
    if trace.kept is not None and variant == "as intended":  # the paper's dropout; the tutorial's is switched off
        embedded = np.where(trace.kept.embedded, embedded / (1 - 0.1), 0)
    return largest([(trace.embedded, embedded)])


def article_difference(variant: str, seed: int) -> float:
    encoder, trace = traced("article", variant, seed)
    theirs = haiku_reference.article_encoder(
        encoder.config, encoder.parameters(), trace.ids, as_written=variant == "as written"
    )
    return largest(zip([trace.embedded, trace.layers[0].concat, trace.output], theirs, strict=True))


DIFFERENCES = {
    "nnx": nnx_difference,
    "haiku": haiku_difference,
    "nanolm": nanolm_difference,
    "annotated": annotated_difference,
    "article": article_difference,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_recipe_is_the_tutorials(name, variant, seed):
    assert DIFFERENCES[name](variant, seed) < TOLERANCE


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["nnx", "haiku", "annotated"])
def test_training_mode_is_the_tutorials_with_the_mask_that_is_shown(name, variant):
    for seed in SEEDS:
        assert DIFFERENCES[name](variant, seed, Dropout(seed)) < TOLERANCE


def test_linen_counts_the_same_parameters():
    config = RECIPES["nanolm"].config("as written")
    shapes = jax.eval_shape(linen_reference.nanolm(config).init, jax.random.key(0), np.zeros((8, 10), int))
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes["params"])) == 3_426_468


if __name__ == "__main__":
    for recipe_name, difference in DIFFERENCES.items():
        for recipe_variant in VARIANTS:
            print(recipe_name, recipe_variant, f"{max(difference(recipe_variant, seed) for seed in range(20)):.1e}")
