"""The rows of the tutorial in Flax NNX, in its order.

Source: the page "Encoder" of https://transformernnx.readthedocs.io (Mohsen Hosseini 2024). Quotations are those of the
notebook docs/source/api/Encoder.ipynb and of model/utils.py in https://github.com/mohsenh17/TransformerNNX.
"""

from encoder_core.tutorials.item import Item
from encoder_core.tutorials.nnx.attention import ATTENTION_ITEMS
from encoder_core.tutorials.nnx.block import BLOCK_CODE_ITEMS, BLOCK_ITEMS
from encoder_core.tutorials.nnx.encoder import ENCODER_ITEMS
from encoder_core.tutorials.nnx.head_example import HEAD_EXAMPLE_ITEMS
from encoder_core.tutorials.nnx.heads import HEAD_ITEMS
from encoder_core.tutorials.nnx.layers import LAYER_ITEMS
from encoder_core.tutorials.nnx.masks import FILL_ITEMS, MASK_ITEMS
from encoder_core.tutorials.nnx.norms import NORM_ITEMS
from encoder_core.tutorials.nnx.read_out import READ_OUT_ITEMS
from encoder_core.tutorials.nnx.vectors import VECTOR_ITEMS

NNX_ITEMS: tuple[Item, ...] = (
    *LAYER_ITEMS,
    *VECTOR_ITEMS,
    ATTENTION_ITEMS[0],  # the documentation of the function
    *FILL_ITEMS,
    *ATTENTION_ITEMS[1:],
    *HEAD_ITEMS,
    *MASK_ITEMS,
    *HEAD_EXAMPLE_ITEMS,
    *BLOCK_ITEMS,
    *NORM_ITEMS,
    *BLOCK_CODE_ITEMS,
    *ENCODER_ITEMS,
    *READ_OUT_ITEMS,
)

__all__ = ["NNX_ITEMS"]
