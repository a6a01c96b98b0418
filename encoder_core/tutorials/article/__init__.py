"""The rows of the article on an encoder in JAX and Haiku, in its order."""

from encoder_core.tutorials.article.embeddings import EMBEDDING_ITEMS
from encoder_core.tutorials.article.feed_forward import FEED_FORWARD_ITEMS
from encoder_core.tutorials.article.haiku import HAIKU_ITEMS
from encoder_core.tutorials.article.heads import HEAD_ITEMS
from encoder_core.tutorials.article.introduction import INTRODUCTION_ITEMS
from encoder_core.tutorials.article.layer_norm import LAYER_NORM_ITEMS
from encoder_core.tutorials.article.output import OUTPUT_ITEMS
from encoder_core.tutorials.article.position_figure import POSITION_FIGURE_ITEMS
from encoder_core.tutorials.article.positions import POSITION_ITEMS
from encoder_core.tutorials.article.residual import RESIDUAL_ITEMS
from encoder_core.tutorials.article.retrieval import RETRIEVAL_ITEMS
from encoder_core.tutorials.article.scores import SCORE_ITEMS
from encoder_core.tutorials.article.word_attention import WORD_ATTENTION_ITEMS
from encoder_core.tutorials.article.wrap_up import WRAP_UP_ITEMS
from encoder_core.tutorials.item import Item

ARTICLE_ITEMS: tuple[Item, ...] = (
    *INTRODUCTION_ITEMS,
    *EMBEDDING_ITEMS,
    *POSITION_ITEMS,
    *POSITION_FIGURE_ITEMS,
    *HAIKU_ITEMS,
    *WORD_ATTENTION_ITEMS,
    *RETRIEVAL_ITEMS,
    *HEAD_ITEMS,
    *SCORE_ITEMS,
    *OUTPUT_ITEMS,
    *RESIDUAL_ITEMS,
    *LAYER_NORM_ITEMS,
    *FEED_FORWARD_ITEMS,
    *WRAP_UP_ITEMS,
)

__all__ = ["ARTICLE_ITEMS"]
