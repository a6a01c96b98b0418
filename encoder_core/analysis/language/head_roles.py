"""Roles of attention heads: mean weights on the previous token, the next token, punctuation and other keys.

Source: Clark et al. 2019, "What does BERT look at?", section 3, who use texts of Wikipedia.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.analysis.attention import stack_patterns
from encoder_core.analysis.comparable import require_no_attention_to_padding
from encoder_core.analysis.language.token_kinds import CLS, SEP, is_punctuation, word_mask
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import require_choice
from encoder_core.trace import EncoderTrace, checked_traces

ROLES = ("previous", "next", "itself", CLS, SEP, "punctuation")


@compared_by_identity
class HeadRoles(NamedTuple):
    """The mean weight of each head on the keys of each role.

    roles      those of ROLES that occur: [CLS] and [SEP] only with a WordPiece tokenizer, the next token not with a
               causal mask
    weights    (role, layer, head) from 0 to 1
    uniform    (role,) the mean weight with equal weights on all keys that the mask allows
    queries    (role,) number of queries that can attend to a key of the role
    sentences  number of sentences
    tokens     number of tokens that are queries: neither special nor padding
    """

    roles: tuple[str, ...]
    weights: Float[np.ndarray, "role layer head"]
    uniform: Float[np.ndarray, "role"]
    queries: Int[np.ndarray, "role"]
    sentences: int
    tokens: int

    def strongest(self, role: str) -> tuple[int, int]:
        """Layer and head, counted from 0, with the largest mean weight in a role. Raises ValueError for no role."""
        require_choice("role", role, self.roles)
        weights = self.weights[self.roles.index(role)]
        layer, head = np.unravel_index(int(weights.argmax()), weights.shape)
        return int(layer), int(head)


def head_roles(traces: Iterable[EncoderTrace], *, allow_padding: bool = False) -> HeadRoles:
    """The roles of all heads, averaged over all sentences of the traces.

    allow_padding  True: also for traces whose tokens attend to padding, so that a part of their weights is on it

    weight of a role = mean over its queries of the sum of the weights on its keys, see `role_keys`. All queries count
    equally, whatever the length of their sentence. Only one trace at a time is in memory with a generator:

        head_roles(encoder.trace(sentence) for sentence in SENTENCES)

    A query counts for a role if the mask shows it a key of the role in at least one head.
    Raises ValueError for what is no list or generator of traces, where tokens attend to padding, and where no token is
    such a query.
    """
    total: Float[np.ndarray, ...] = np.zeros(())
    uniform, queries = np.zeros(len(ROLES)), np.zeros(len(ROLES), int)
    sentences = tokens = 0
    for trace in checked_traces(traces, EncoderTrace):
        require_no_attention_to_padding(trace, allow_padding=allow_padding)
        for sentence, real in enumerate(trace.real):
            names = trace.tokens[sentence] if trace.tokens else ("",) * len(real)
            mask = trace.mask[sentence]
            of_role = role_keys(names, real)
            keys = of_role & mask.any(axis=0)
            patterns = stack_patterns(trace, sentence)
            equal_weights = _equal_weights(mask)
            total = total + np.einsum("lhqk,rqk->rlh", patterns, keys, optimize=True).astype(float)
            uniform += np.einsum("qk,rqk->r", equal_weights, keys)
            queries += keys.any(axis=-1).sum(axis=-1)
            sentences, tokens = sentences + 1, tokens + int(of_role[ROLES.index("itself")].any(axis=-1).sum())
    occurs = queries > 0
    if not occurs.any():
        raise ValueError("there is no token to measure: at least one word that can attend to a token is needed.")
    weights = total[occurs] / queries[occurs, None, None]
    names = tuple(role for role, is_present in zip(ROLES, occurs, strict=True) if is_present)
    return HeadRoles(names, weights, uniform[occurs] / queries[occurs], queries[occurs], sentences, tokens)


def role_keys(tokens: Sequence[str], real: Bool[np.ndarray, "seq"]) -> Bool[np.ndarray, "role query key"]:
    """The keys of each role for each query; a query without such a key does not count for the role.

    Queries are words and punctuation: real tokens, neither [CLS] nor [SEP].
    previous, next  the token directly before or after the query, unless it is [CLS] or [SEP], which have roles of
                    their own
    itself          the key at the position of the query
    [CLS], [SEP]    those tokens
    punctuation     all punctuation of the sentence; the queries are words only, because the weight of a comma on
                    itself would count as well

    Raises ValueError unless `real` has a boolean for each token.
    """
    is_query = word_mask(tokens, real, punctuation=True)
    is_sign = is_query & np.array([is_punctuation(token) for token in tokens], bool)
    diagonal = np.eye(len(tokens), dtype=bool)
    keys = np.stack([
        np.eye(len(tokens), k=-1, dtype=bool) & is_query,
        np.eye(len(tokens), k=1, dtype=bool) & is_query,
        diagonal,
        np.broadcast_to([token == CLS for token in tokens], diagonal.shape),
        np.broadcast_to([token == SEP for token in tokens], diagonal.shape),
        is_sign & ~is_sign[:, None],
    ])  # fmt: skip
    return keys & is_query[:, None] & real


def _equal_weights(mask: Bool[np.ndarray, "head query key"]) -> Float[np.ndarray, "query key"]:
    """Equal weights on all keys that the mask allows, averaged over the heads."""
    visible = mask.astype(float)
    return np.asarray((visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1)).mean(axis=0))
