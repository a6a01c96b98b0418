"""The position that a scene shows, and the slices of a trace's tensors at that position."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from encoder_core.figures import TensorSlice
from encoder_core.figures.tensor_map import PanelAxis


@runtime_checkable
class Position(Protocol):
    """Sentence, layer, head, token and key token, each counted from 0; `labels` are the tokens of the sentence."""

    @property
    def sentence(self) -> int: ...
    @property
    def layer(self) -> int: ...
    @property
    def head(self) -> int: ...
    @property
    def token(self) -> int: ...
    @property
    def key_token(self) -> int: ...
    @property
    def labels(self) -> Sequence[str]: ...


class ScenePosition(NamedTuple):
    """A position for notebooks and tests: by default the first sentence, layer, head, token and key token."""

    sentence: int = 0
    layer: int = 0
    head: int = 0
    token: int = 0
    key_token: int = 0
    labels: tuple[str, ...] = ()


def head_slice(tensor: str, at: Position, *, transposed: bool = False) -> TensorSlice:
    """The rows and columns of one head: of q, k, v, dot_products, scores, pattern, z or head_contributions."""
    axes: tuple[PanelAxis, PanelAxis] = ("column", "row") if transposed else ("row", "column")
    return TensorSlice(tensor, (at.sentence, at.head, *axes), at.layer)


def layer_slice(tensor: str, at: Position) -> TensorSlice:
    """The rows of one sentence in one layer: of resid_pre, attn_out, mlp_act, ..."""
    return TensorSlice(tensor, (at.sentence, "row", "column"), at.layer)


def text_slice(tensor: str, at: Position) -> TensorSlice:
    """The rows of one sentence before or after all layers: of token_embedding, embedded, output, ..."""
    return TensorSlice(tensor, (at.sentence, "row", "column"))


POSITION_ENCODING = TensorSlice("position_encoding", ("row", "column"))  # the same for every sentence
