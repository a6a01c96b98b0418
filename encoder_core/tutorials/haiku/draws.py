"""Numbers that the tutorial draws with JAX keys, as constants. The tests draw them again with Haiku and JAX.

The book does not define `rng_iter`; the notebook of the same authors, from 2022, has
`rng_iter = hk.PRNGSequence(jax.random.PRNGKey(42))`. JAX before 0.5 drew these numbers
(`jax_threefry_partitionable=False`); later versions draw others by default. All masks come from the first key of the
sequence, because `rng` is never assigned again.
"""

import numpy as np

# Test of the scaled dot product: q, k and v, (3, batch, seq, d_k), and the mask, (batch, 1, seq).
QKV = np.array(
    [
        0.77762079, -2.172204, -1.4131694, 0.28444538, 0.10999957, -0.83774304,
        -2.4020522, 0.33668196, 0.78918505, -1.4299829, -0.45948923, 0.02981979,
        0.52814466, 0.12819193, 0.47628748, -0.64985853, -0.12431046, 1.9350148,
        -1.2587304, -0.26198581, -1.6374735, -1.7324731, -2.1555943, 0.10275006,
        -1.5613339, 0.1538619, -1.2041062, 0.15211171, 1.18768, 0.002363093,
        -2.0424299, 1.5428889, 0.67916995, -0.4025721, -0.24995933, -0.82189697,
        -2.1235402, 0.31779674, -0.14662784, 0.032921206, -1.5578374, 2.4102998,
        0.22634047, 0.26538733, 0.99031621, 0.47516087, -1.3780382, -0.50104058,
        0.64397305, -0.6829167, -0.98792559, 1.5408612, 0.71178997, -0.2907863,
        0.057712037, -0.74230427, -0.39987534, -1.1047859, 1.4009691, 0.072337098,
        0.72391057, 0.016363824, 0.57319915, 0.21309149, -0.067840427, 0.0044942428,
        -1.5834205, 1.2813324, -0.35764724, -1.0738919, 0.14161801, -0.38614085,
    ],
    np.float32,
).reshape(3, 2, 3, 4)  # fmt: skip
MASK_OF_3 = np.array([[[0, 1, 0]], [[0, 1, 1]]], bool)

# Tests of multi-head attention, of the block and of the encoder.
MASK_OF_12 = np.array(
    [[[0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1]], [[0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0]]], bool
)  # fmt: skip

# The same mask of 3 keys from `jax.random.PRNGKey(1)`, the first number from 0 for which a sentence sees no key.
EMPTY_KEY = 1
EMPTY_MASK = np.array([[[0, 0, 0]], [[1, 0, 0]]], bool)

# Test of the embeddings: ids below 5, (4, 3).
IDS = np.array([[4, 1, 0], [4, 3, 0], [3, 4, 3], [1, 0, 1]])

# `hk.dropout(hk.next_rng_key(), 0.5, jnp.ones((4, 8)))` in a transformed function that has no Module; True is kept.
KEPT_WITHOUT_MODULE = np.array(
    [
        [1, 0, 1, 0, 1, 1, 0, 0],
        [1, 1, 1, 1, 0, 1, 1, 0],
        [0, 1, 1, 1, 0, 1, 0, 1],
        [0, 0, 1, 0, 0, 1, 0, 0],
    ],
    bool,
)
