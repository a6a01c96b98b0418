"""The rows of the Annotated Transformer in Flax linen, in the notebook's order."""

from encoder_core.tutorials.annotated.attention import ATTENTION_ITEMS
from encoder_core.tutorials.annotated.attention_code import ATTENTION_CODE_ITEMS
from encoder_core.tutorials.annotated.chart import CHART_ITEMS
from encoder_core.tutorials.annotated.embedding import EMBEDDING_ITEMS
from encoder_core.tutorials.annotated.encoder_text import ENCODER_TEXT_ITEMS
from encoder_core.tutorials.annotated.flow import FLOW_ITEMS
from encoder_core.tutorials.annotated.heads import HEAD_ITEMS
from encoder_core.tutorials.annotated.introduction import INTRODUCTION_ITEMS
from encoder_core.tutorials.annotated.layers import LAYER_ITEMS
from encoder_core.tutorials.annotated.norms import NORM_ITEMS
from encoder_core.tutorials.annotated.positions import POSITION_ITEMS
from encoder_core.tutorials.annotated.scale import SCALE_ITEMS
from encoder_core.tutorials.item import Item

ANNOTATED_ITEMS: tuple[Item, ...] = (
    *INTRODUCTION_ITEMS,
    *FLOW_ITEMS,
    *EMBEDDING_ITEMS,
    *POSITION_ITEMS,
    *CHART_ITEMS,
    *ENCODER_TEXT_ITEMS,
    *ATTENTION_ITEMS,
    *SCALE_ITEMS,
    *ATTENTION_CODE_ITEMS,
    *HEAD_ITEMS,
    *NORM_ITEMS,
    *LAYER_ITEMS,
)

__all__ = ["ANNOTATED_ITEMS"]
