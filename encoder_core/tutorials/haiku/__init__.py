"""The rows of the tutorial in dm-haiku, in its order: the book's pages from the introduction to the encoder."""

from encoder_core.tutorials.haiku.attention import ATTENTION_ITEMS
from encoder_core.tutorials.haiku.blocks import BLOCK_ITEMS
from encoder_core.tutorials.haiku.embeddings import EMBEDDING_ITEMS
from encoder_core.tutorials.haiku.feed_forward import FEED_FORWARD_ITEMS
from encoder_core.tutorials.haiku.head_shapes import HEAD_SHAPE_ITEMS
from encoder_core.tutorials.haiku.intro import INTRO_ITEMS
from encoder_core.tutorials.haiku.masks import MASK_ITEMS
from encoder_core.tutorials.haiku.multi_head import MULTI_HEAD_ITEMS
from encoder_core.tutorials.haiku.positions import POSITION_ITEMS
from encoder_core.tutorials.haiku.stack import STACK_ITEMS
from encoder_core.tutorials.haiku.transforms import TRANSFORM_ITEMS
from encoder_core.tutorials.item import Item

HAIKU_ITEMS: tuple[Item, ...] = (
    *INTRO_ITEMS,
    *ATTENTION_ITEMS,
    *MASK_ITEMS,
    *MULTI_HEAD_ITEMS,
    *HEAD_SHAPE_ITEMS,
    *TRANSFORM_ITEMS,
    *EMBEDDING_ITEMS,
    *POSITION_ITEMS,
    *FEED_FORWARD_ITEMS,
    *BLOCK_ITEMS,
    *STACK_ITEMS,
)

__all__ = ["HAIKU_ITEMS"]
