"""Time from a new configuration to a NumPy trace, compared with a program that is compiled for each configuration.

    python -m benchmarks.compute

Prints one JSON object.

first_use_ms_*          200 random configurations of up to 32 tokens, d_model 128 and 12 layers, after `warm_up`
plain_first_use_ms_p50  some of these configurations with jitted NNX layers of the exact size
compilations            during the 200 configurations, counted by the monitoring of JAX
rss_growth_mb           growth of the resident memory during the 200 configurations
"""

import gc
import json
import time
from typing import get_args

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from benchmarks.measure import CompilationCounter, percentile, resident_mb
from benchmarks.plain_layer import PlainLayer
from encoder_core import Encoder, EncoderConfig, warm_up
from encoder_core.config import Activation, Norm

WARM_CONFIGS, CONFIGS, PLAIN_CONFIGS = 50, 200, 12
NORMS: tuple[Norm, ...] = get_args(Norm)
ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)


def random_case(rng: np.random.Generator) -> tuple[EncoderConfig, np.ndarray]:
    """A random configuration, and ids of one sentence."""
    num_heads = int(rng.integers(1, 17))
    config = EncoderConfig(
        vocab_size=64,
        d_model=num_heads * int(rng.integers(1, 128 // num_heads + 1)),
        num_heads=num_heads,
        d_ff=int(rng.integers(1, 513)),
        num_layers=int(rng.integers(1, 13)),
        norm=NORMS[rng.integers(len(NORMS))],
        activation=ACTIVATIONS[rng.integers(len(ACTIVATIONS))],
    )
    return config, rng.integers(0, 64, (1, int(rng.integers(1, 33))), np.int32)


class PlainStack(nnx.Module):
    """Embedding and layers of the exact size; returns the hidden state after every layer."""

    def __init__(self, config: EncoderConfig, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Embed(config.vocab_size, config.d_model, rngs=rngs)
        self.layers = nnx.List([PlainLayer(config, rngs) for _ in range(config.num_layers)])

    def __call__(self, ids: jax.Array) -> list[jax.Array]:
        hidden = [self.embedding(ids)]
        for layer in self.layers:
            hidden.append(layer(hidden[-1]))
        return hidden


def trace_ms(config: EncoderConfig, ids: np.ndarray) -> float:
    """Milliseconds from the configuration to the trace of `encoder_core`."""
    start = time.perf_counter()
    Encoder.random(config, seed=0).trace(ids)
    return (time.perf_counter() - start) * 1e3


def plain_ms(config: EncoderConfig, ids: np.ndarray) -> float:
    """Milliseconds from the configuration to the hidden states of `PlainStack`."""
    start = time.perf_counter()
    model = PlainStack(config, nnx.Rngs(0))
    jax.tree.map(np.asarray, nnx.jit(lambda model, ids: model(ids))(model, jnp.asarray(ids)))
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    rng = np.random.default_rng(20)
    warm_up()
    for _ in range(WARM_CONFIGS):
        trace_ms(*random_case(rng))
    cases = [random_case(rng) for _ in range(CONFIGS)]
    gc.collect()
    before = resident_mb()
    with CompilationCounter() as counter:
        first_use = [trace_ms(*case) for case in cases]
    gc.collect()
    growth = resident_mb() - before
    plain_first_use = [plain_ms(*case) for case in cases[:PLAIN_CONFIGS]]
    print(
        json.dumps(
            {
                "configs": CONFIGS,
                "first_use_ms_p50": percentile(first_use, 50),
                "first_use_ms_p95": percentile(first_use, 95),
                "plain_configs": PLAIN_CONFIGS,
                "plain_first_use_ms_p50": percentile(plain_first_use, 50),
                "ratio": round(percentile(plain_first_use, 50) / percentile(first_use, 50), 1),
                "compilations": counter.count,
                "rss_growth_mb": round(growth, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
