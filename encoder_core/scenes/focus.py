"""The focus of a scene, and the slices of a trace's tensors that it selects."""

from typing import NamedTuple

from encoder_core.figures import TensorSlice
from encoder_core.figures.tensor_map import PanelAxis


class Focus(NamedTuple):
    """Sentence, layer, head, token and key token, each counted from 0; `labels` are the tokens of the sentence."""

    sentence: int = 0
    layer: int = 0
    head: int = 0
    token: int = 0
    key_token: int = 0
    labels: tuple[str, ...] = ()


def head_slice(tensor: str, at: Focus, *, transposed: bool = False) -> TensorSlice:
    """The rows and columns of one head: of q, k, v, dot_products, scores, pattern, z or head_contributions."""
    axes: tuple[PanelAxis, PanelAxis] = ("column", "row") if transposed else ("row", "column")
    return TensorSlice(tensor, (at.sentence, at.head, *axes), at.layer)


def layer_slice(tensor: str, at: Focus) -> TensorSlice:
    """The rows of one sentence in one layer: of resid_pre, attn_out, mlp_act, ..."""
    return TensorSlice(tensor, (at.sentence, "row", "column"), at.layer)


def text_slice(tensor: str, at: Focus) -> TensorSlice:
    """The rows of one sentence before or after all layers: of token_embedding, embedded, output, ..."""
    return TensorSlice(tensor, (at.sentence, "row", "column"))


POSITION_ENCODING = TensorSlice("position_encoding", ("row", "column"))  # the same for every sentence
