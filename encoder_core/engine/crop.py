"""Crop the tensors of a program to the active sizes, as read-only NumPy arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.blocks.capacity import Capacity
from encoder_core.config import EncoderConfig
from encoder_core.engine.forward import StackTensors, select_layer
from encoder_core.trace import LayerTrace

PaddedArrays = tuple[Float[np.ndarray, "_seq _d_model"], StackTensors]  # output and layers, at capacity


def crop(
    runs: Sequence[PaddedArrays],
    out_kernels: Sequence[Float[np.ndarray, "qkv_dim d_model"]],
    seq: int,
    config: EncoderConfig,
    capacity: Capacity,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and the traces of all layers, from the runs of all sentences. `out_kernels` are W_O of each layer."""
    # At an exact capacity only seq is padded: views of one sentence are enough, copies would take a tenth of the time.
    cut = _Cut(config, seq, in_place=capacity.exact and len(runs) == 1)
    layers = (
        cut.layer([select_layer(tensors, layer) for _, tensors in runs], out_kernels[layer])
        for layer in range(config.num_layers)
    )
    return cut.rows([output for output, _ in runs], config.d_model), tuple(layers)


class _Cut(NamedTuple):
    """How the tensors of all sentences become one: stacked, or a view of the only one."""

    config: EncoderConfig
    seq: int
    in_place: bool

    def layer(self, sentences: list[Any], out_kernel: Float[np.ndarray, "qkv_dim d_model"]) -> LayerTrace:
        """The trace of one layer from the LayerTensors of each sentence, as NumPy arrays."""
        attention = [tensors.attention for tensors in sentences]
        d_model = self.config.d_model
        return LayerTrace(
            resid_pre=self.rows([s.resid_pre for s in sentences], d_model),
            attn_in=self.rows([s.attn_in for s in sentences], d_model),
            q=self.split([a.q for a in attention]),
            k=self.split([a.k for a in attention]),
            v=self.split([a.v for a in attention]),
            dot_products=self.square([a.dot_products for a in attention]),
            scores=self.square([a.scores for a in attention]),
            pattern=self.square([a.pattern for a in attention]),
            z=self.split([a.concat for a in attention]),
            concat=self.rows([a.concat for a in attention], self.config.qkv_width),
            attn_out=self.rows([a.attn_out for a in attention], d_model),
            resid_mid=self.rows([s.resid_mid for s in sentences], d_model),
            mlp_in=self.rows([s.mlp_in for s in sentences], d_model),
            mlp_pre=self.rows([s.mlp.mlp_pre for s in sentences], self.config.d_ff),
            mlp_act=self.rows([s.mlp.mlp_act for s in sentences], self.config.d_ff),
            mlp_out=self.rows([s.mlp.mlp_out for s in sentences], d_model),
            resid_post=self.rows([s.resid_post for s in sentences], d_model),
            out_kernel=_frozen(out_kernel),
        )

    def rows(self, arrays: list[np.ndarray], width: int) -> Float[np.ndarray, "batch seq width"]:
        """A tensor with one row for each token."""
        return self._stack([array[: self.seq, :width] for array in arrays])

    def split(self, arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq d_head"]:
        """A tensor with the features of all heads side by side, each head apart."""
        rows = self.rows(arrays, self.config.qkv_width)
        heads_apart = rows.reshape(len(arrays), self.seq, self.config.num_heads, self.config.d_head).swapaxes(1, 2)
        return _frozen(heads_apart if self.in_place else np.ascontiguousarray(heads_apart))

    def square(self, arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq seq"]:
        """A tensor with one matrix of queries and keys for each head."""
        return self._stack([array[: self.config.num_heads, : self.seq, : self.seq] for array in arrays])

    def _stack(self, arrays: list[np.ndarray]) -> Float[np.ndarray, "batch ..."]:
        return _frozen(arrays[0][None] if self.in_place else np.stack(arrays))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
