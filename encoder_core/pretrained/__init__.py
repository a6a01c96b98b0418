"""Finds, checks and reads the files of trained encoders of the BERT family. Use `Encoder.pretrained` to load one.

Only safetensors files are read: they contain numbers only, whereas opening a pickle file can run code.
"""

from encoder_core.pretrained.analogy import Analogy, parse_analogy
from encoder_core.pretrained.bert import PretrainedError
from encoder_core.pretrained.find import KNOWN, find_model, full_name, on_this_machine
from encoder_core.pretrained.hub import MAX_BYTES
from encoder_core.pretrained.model import may_be_model, open_model, require_max_len
from encoder_core.pretrained.nearest_words import Neighbour, direction_of, nearest_words
from encoder_core.pretrained.wordpiece import WordPieceTokenizer

__all__ = [
    "KNOWN",
    "MAX_BYTES",
    "Analogy",
    "Neighbour",
    "PretrainedError",
    "WordPieceTokenizer",
    "direction_of",
    "find_model",
    "full_name",
    "may_be_model",
    "nearest_words",
    "on_this_machine",
    "open_model",
    "parse_analogy",
    "require_max_len",
]
