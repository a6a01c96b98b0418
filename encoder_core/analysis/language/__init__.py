"""What heads and vectors have to do with words: measured in traces of any encoder.

A random encoder can be measured as well as a trained one, and is the control: it has no reason to prefer any word.
"""

from encoder_core.analysis.language.head_roles import HeadRoles, head_roles, role_keys
from encoder_core.analysis.language.kinds import is_punctuation, special_or_itself, words_among
from encoder_core.analysis.language.one_word import StrongHead, attention_from, strongest_heads
from encoder_core.analysis.language.same_word import SharedWord, different_words, same_word, shared_words
from encoder_core.analysis.language.sentence_vectors import sentence_vectors
from encoder_core.analysis.language.sentences import SENTENCES

__all__ = [
    "SENTENCES",
    "HeadRoles",
    "SharedWord",
    "StrongHead",
    "attention_from",
    "different_words",
    "head_roles",
    "is_punctuation",
    "role_keys",
    "same_word",
    "sentence_vectors",
    "shared_words",
    "special_or_itself",
    "strongest_heads",
    "words_among",
]
