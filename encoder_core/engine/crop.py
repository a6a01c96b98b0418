"""Crop the tensors of a program to the active sizes, as read-only NumPy arrays."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from encoder_core.blocks.capacity import Capacity
from encoder_core.config import EncoderConfig
from encoder_core.engine.forward import PaddedRun, select_layer
from encoder_core.trace import LayerTrace

Tensors = dict[str, Float[np.ndarray, "..."]]


def crop(
    runs: Iterable[PaddedRun],
    batch: int,
    out_kernels: list[Float[np.ndarray, "qkv_dim d_model"]],
    seq: int,
    config: EncoderConfig,
    capacity: Capacity,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and the traces of all layers, from the runs of all sentences. `out_kernels` are W_O of each layer.

    Each run is copied as it arrives, so that an iterator of runs has few of them in memory: at capacity, a run takes
    up to ten times the memory of its part of the trace.
    """
    # At an exact capacity only seq is padded: views of one sentence are enough, copies would take a tenth of the time.
    in_place = capacity.exact and batch == 1
    cut = _Cut(config, seq)
    batches: list[Tensors] = []
    for sentence, run in enumerate(runs):
        views = cut.run(jax.tree.map(np.asarray, run))
        if not batches:
            batches = [{name: _room(view, batch, in_place) for name, view in part.items()} for part in views]
        if not in_place:
            for arrays, part in zip(batches, views, strict=True):
                for name, view in part.items():
                    arrays[name][sentence] = view
    for array in (*out_kernels, *(array for arrays in batches for array in arrays.values())):
        array.setflags(write=False)
    layers, of_stack = batches[:-1], batches[-1]
    traces = (LayerTrace(**arrays, out_kernel=kernel) for arrays, kernel in zip(layers, out_kernels, strict=True))
    return of_stack["output"], tuple(traces)


def crop_output(runs: Iterable[PaddedRun], seq: int, config: EncoderConfig) -> Float[np.ndarray, "batch seq d_model"]:
    """The output alone, from the runs of all sentences."""
    output = np.stack([np.asarray(output)[:seq, : config.d_model] for output, _ in runs])
    output.setflags(write=False)
    return output


def _room(view: Float[np.ndarray, "..."], batch: int, in_place: bool) -> Float[np.ndarray, "batch ..."]:
    """The array of a whole batch, of which the view of the first sentence is a part."""
    return view[None] if in_place else np.empty((batch, *view.shape), view.dtype)


class _Cut(NamedTuple):
    """The active part of the tensors of one sentence, as views."""

    config: EncoderConfig
    seq: int

    def run(self, run: PaddedRun) -> list[Tensors]:
        """The tensors of each layer, and at the end the output."""
        output, tensors = run
        layers = [self.layer(select_layer(tensors, layer)) for layer in range(self.config.num_layers)]
        return [*layers, {"output": self.rows(np.asarray(output), self.config.d_model)}]

    def layer(self, tensors: Any) -> Tensors:
        """The tensors of one layer, named as in `LayerTrace`, from the LayerTensors, as NumPy arrays."""
        attention, mlp, d_model = tensors.attention, tensors.mlp, self.config.d_model
        return {
            "resid_pre": self.rows(tensors.resid_pre, d_model),
            "attn_in": self.rows(tensors.attn_in, d_model),
            "q": self.split(attention.q),
            "k": self.split(attention.k),
            "v": self.split(attention.v),
            "dot_products": self.square(attention.dot_products),
            "scores": self.square(attention.scores),
            "pattern": self.square(attention.pattern),
            "z": self.split(attention.concat),
            "concat": self.rows(attention.concat, self.config.qkv_width),
            "attn_out": self.rows(attention.attn_out, d_model),
            "resid_mid": self.rows(tensors.resid_mid, d_model),
            "mlp_in": self.rows(tensors.mlp_in, d_model),
            "mlp_pre": self.rows(mlp.mlp_pre, self.config.d_ff),
            "mlp_act": self.rows(mlp.mlp_act, self.config.d_ff),
            "mlp_out": self.rows(mlp.mlp_out, d_model),
            "resid_post": self.rows(tensors.resid_post, d_model),
        }

    def rows(self, array: np.ndarray, width: int) -> Float[np.ndarray, "seq width"]:
        """A tensor with one row for each token."""
        return array[: self.seq, :width]

    def split(self, array: np.ndarray) -> Float[np.ndarray, "head seq d_head"]:
        """A tensor with the features of all heads side by side, each head apart."""
        rows = self.rows(array, self.config.qkv_width)
        return rows.reshape(self.seq, self.config.num_heads, self.config.d_head).swapaxes(0, 1)

    def square(self, array: np.ndarray) -> Float[np.ndarray, "head seq seq"]:
        """A tensor with one matrix of queries and keys for each head."""
        return array[: self.config.num_heads, : self.seq, : self.seq]
