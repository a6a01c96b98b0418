"""The rows of the tutorial in Flax NNX, in its order."""

from encoder_core.tutorials.item import Item
from encoder_core.tutorials.nnx.attention import ATTENTION_ITEMS

NNX_ITEMS: tuple[Item, ...] = (*ATTENTION_ITEMS,)

__all__ = ["NNX_ITEMS"]
