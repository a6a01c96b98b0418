"""`haiku` and `article` from dm-haiku modules."""

from functools import cache

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np

from encoder_core import EncoderConfig
from encoder_core.parameters import Parameters


def _linear(ours: Parameters, name: str) -> dict[str, np.ndarray]:
    return {"w": ours[f"{name}.kernel"], "b": ours[f"{name}.bias"]}


def _norm(ours: Parameters, name: str) -> dict[str, np.ndarray]:
    return {"scale": ours[f"{name}.scale"], "offset": ours[f"{name}.bias"]}


def haiku_encoder(config: EncoderConfig, ours: Parameters, x, keys, drop) -> list[np.ndarray]:
    """What leaves each block; `keys` (batch, 1, seq) is True where a key is seen; `drop(layer, place, x)`."""

    def forward(x):
        left = []
        for i in range(config.num_layers):
            attention = hk.MultiHeadAttention(
                config.num_heads, config.d_head, w_init=hk.initializers.TruncatedNormal(), name=f"attention_{i}"
            )
            x = hk.LayerNorm(-1, True, True, name=f"norm1_{i}")(
                x + drop(i, "attn_out", attention(x, x, x, keys[:, None]))
            )
            hidden = jax.nn.relu(hk.Linear(config.d_ff, name=f"up_{i}")(x))
            hidden = hk.Linear(config.d_model, name=f"down_{i}")(drop(i, "mlp_act", hidden))
            x = hk.LayerNorm(-1, True, True, name=f"norm2_{i}")(x + drop(i, "mlp_out", hidden))
            left.append(x)
        return left

    parameters = {}
    for i in range(config.num_layers):
        for theirs, mine in (("query", "query"), ("key", "key"), ("value", "value"), ("linear", "out")):
            parameters[f"attention_{i}/{theirs}"] = _linear(ours, f"layers.{i}.attention.{mine}")
        parameters[f"up_{i}"] = _linear(ours, f"layers.{i}.mlp.up")
        parameters[f"down_{i}"] = _linear(ours, f"layers.{i}.mlp.down")
        parameters[f"norm1_{i}"] = _norm(ours, f"layers.{i}.norm1")
        parameters[f"norm2_{i}"] = _norm(ours, f"layers.{i}.norm2")
    model = hk.without_apply_rng(hk.transform(forward))
    _require_shapes(model, parameters, x)
    return [np.asarray(rows) for rows in model.apply(jax.tree.map(jnp.asarray, parameters), x)]


def article_encoder(config: EncoderConfig, ours: Parameters, ids, *, as_written: bool) -> list[np.ndarray]:
    """The embedded words, all heads' results side by side, and the output."""
    d, d_k = config.d_model, config.d_model // config.num_heads

    def sinusoid(dimension: int) -> np.ndarray:
        power = 2 * dimension if as_written else 2 * (dimension // 2)
        angle = np.arange(ids.shape[1]) / np.power(10_000.0, power / d)
        return np.sin(angle) if dimension % 2 == 0 else np.cos(angle)

    parameters = {
        "embed": {"embeddings": ours["token_embedding"]},
        "out": _linear(ours, "layers.0.attention.out"),
        "up": _linear(ours, "layers.0.mlp.up"),
        "down": _linear(ours, "layers.0.mlp.down"),
        "norm1": _norm(ours, "layers.0.norm1"),
        "norm2": _norm(ours, "layers.0.norm2"),
    }
    for index in range(config.num_heads):
        columns = slice(index * d_k, (index + 1) * d_k)
        for name in ("query", "key", "value"):
            parameters[f"{name}_of_head_{index}"] = {"w": ours[f"layers.0.attention.{name}.kernel"][:, columns]}
    encoding = np.stack([sinusoid(dimension) for dimension in range(d)], axis=1)
    model = _article_model(config)
    _require_shapes(model, parameters, ids, encoding)
    return [np.asarray(array) for array in jax.jit(model.apply)(parameters, ids, encoding)]


@cache
def _article_model(config: EncoderConfig) -> hk.Transformed:
    """One object for each configuration, so that JAX compiles its `apply` once; as single operations it is forty."""
    d, d_k = config.d_model, config.d_model // config.num_heads

    def head(x, index: int):
        project = lambda name: hk.Linear(d_k, with_bias=False, name=f"{name}_of_head_{index}")(x)  # noqa: E731
        q, k, v = project("query"), project("key"), project("value")
        return jax.nn.softmax(q @ k.transpose(0, 2, 1) / jnp.sqrt(d_k), axis=-1) @ v

    def forward(ids, encoding):
        embedded = hk.Embed(config.vocab_size, d, name="embed")(ids) + encoding
        concat = jnp.concatenate([head(embedded, index) for index in range(config.num_heads)], axis=-1)
        x = hk.LayerNorm(-1, True, True, eps=1e-6, name="norm1")(hk.Linear(d, name="out")(concat) + embedded)
        hidden = jax.nn.gelu(hk.Linear(config.d_ff, name="up")(x))
        output = hk.LayerNorm(-1, True, True, eps=1e-6, name="norm2")(hk.Linear(d, name="down")(hidden) + x)
        return embedded, concat, output

    return hk.without_apply_rng(hk.transform(forward))


def _require_shapes(model: hk.Transformed, parameters, *inputs) -> None:
    shapes = jax.eval_shape(model.init, jax.random.key(0), *inputs)
    assert jax.tree.map(np.shape, parameters) == jax.tree.map(np.shape, dict(shapes))
