"""Random numbers of JAX in NumPy: the generator Threefry, as JAX 0.5 and later use it, and the keys of Flax linen.

Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3". The tests compare every function with JAX.
"""

import hashlib

import numpy as np
from jaxtyping import Float, UInt32
from scipy.special import erfinv

Key = UInt32[np.ndarray, "2"]
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def threefry(
    key: Key, high: UInt32[np.ndarray, "count"], low: UInt32[np.ndarray, "count"]
) -> tuple[UInt32[np.ndarray, "count"], UInt32[np.ndarray, "count"]]:
    """Threefry-2x32 with 20 rounds: two random words for each pair of counters."""
    words = (key[0], key[1], key[0] ^ key[1] ^ _PARITY)
    a, b = high + words[0], low + words[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            a = a + b
            b = a ^ ((b << np.uint32(rotation)) | (b >> np.uint32(32 - rotation)))
        a, b = a + words[(group + 1) % 3], b + words[(group + 2) % 3] + np.uint32(group + 1)
    return a, b


def _words(key: Key, count: int) -> tuple[UInt32[np.ndarray, "count"], UInt32[np.ndarray, "count"]]:
    return threefry(key, np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32))


def key_of(seed: int) -> Key:
    """`jax.random.key(seed)` for a seed below 2**32."""
    return np.array([0, seed], np.uint32)


def split(key: Key) -> tuple[Key, Key]:
    """`jax.random.split(key, 2)`."""
    first, second = np.stack(_words(key, 2), axis=-1)
    return first, second


def linen_key(key: Key, module: str) -> Key:
    """The key that Flax linen derives for the first parameter of a submodule ("Embed_0")."""
    number = int.from_bytes(hashlib.sha1(module.encode() + b"\x01").digest()[:4], "big")
    a, b = threefry(key, np.zeros(1, np.uint32), np.array([number], np.uint32))
    return np.array([a[0], b[0]], np.uint32)


def normal(key: Key, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
    """`jax.random.normal(key, shape)` in float64: sqrt(2) erfinv(u) of uniform float32 numbers u from -1 to 1."""
    a, b = _words(key, int(np.prod(shape)))
    uniform = ((((a ^ b) >> np.uint32(9)) | np.uint32(0x3F800000)).view(np.float32)) - np.float32(1)
    low = np.nextafter(np.float32(-1), np.float32(0))
    scaled = np.maximum(low, uniform * (np.float32(1) - low) + low)
    return np.asarray(np.sqrt(2) * erfinv(scaled.astype(float))).reshape(shape)
