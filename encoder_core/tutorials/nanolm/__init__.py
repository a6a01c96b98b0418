"""The rows of the tutorial in Flax linen: a longer tutorial around NanoLM, known from notes, then optax's notebook."""

from encoder_core.tutorials.item import Item
from encoder_core.tutorials.nanolm.batches import BATCH_ITEMS
from encoder_core.tutorials.nanolm.data import DATA_ITEMS
from encoder_core.tutorials.nanolm.embeddings import EMBEDDING_ITEMS
from encoder_core.tutorials.nanolm.hyperparameters import HYPERPARAMETER_ITEMS, KEY_PARAMETERS
from encoder_core.tutorials.nanolm.introduction import INTRODUCTION_ITEMS
from encoder_core.tutorials.nanolm.layers import LAYER_ITEMS
from encoder_core.tutorials.nanolm.regularization import REGULARIZATION_ITEMS
from encoder_core.tutorials.nanolm.results import RESULT_ITEMS
from encoder_core.tutorials.nanolm.training import JIT, TRAINING_ITEMS
from encoder_core.tutorials.nanolm.whole_model import WHOLE_MODEL_ITEMS
from encoder_core.tutorials.nanolm.worked_attention import WORKED_ITEMS

NANOLM_ITEMS: tuple[Item, ...] = (
    *EMBEDDING_ITEMS,
    *WORKED_ITEMS,
    *WHOLE_MODEL_ITEMS,
    *INTRODUCTION_ITEMS,
    *HYPERPARAMETER_ITEMS,
    *DATA_ITEMS,
    *BATCH_ITEMS[:1],
    JIT,
    *BATCH_ITEMS[1:],
    KEY_PARAMETERS,
    *LAYER_ITEMS,
    *REGULARIZATION_ITEMS,
    *TRAINING_ITEMS,
    *RESULT_ITEMS,
)

__all__ = ["NANOLM_ITEMS"]
