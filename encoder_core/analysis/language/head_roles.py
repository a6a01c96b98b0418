"""What heads look at, whatever the words: the token before, the token after, punctuation, and the like.

After Clark et al. 2019, "What does BERT look at?", section 3, who measure the same over texts of Wikipedia.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.analysis.language.kinds import CLS, SEP, is_punctuation, words_among
from encoder_core.trace import EncoderTrace

ROLES = ("previous", "next", "itself", CLS, SEP, "punctuation")


class HeadRoles(NamedTuple):
    """The mean weight that each head gives to the keys of a role.

    roles      those of ROLES that occur; without a tokenizer of BERT's kind there is no [CLS] and no [SEP]
    weights    (role, layer, head) from 0 to 1
    uniform    (role,) what a head would give that looks at all keys alike, as far as the mask lets it see them
    queries    (role,) how many queries were counted
    sentences  how many were read
    tokens     how many of their tokens are queries: neither special nor padding
    """

    roles: tuple[str, ...]
    weights: Float[np.ndarray, "role layer head"]
    uniform: Float[np.ndarray, "role"]
    queries: Int[np.ndarray, "role"]
    sentences: int
    tokens: int

    def strongest(self, role: str) -> tuple[int, int]:
        """Layer and head, counted from 0, with the largest mean weight in a role."""
        weights = self.weights[self.roles.index(role)]
        layer, head = np.unravel_index(int(weights.argmax()), weights.shape)
        return int(layer), int(head)


def head_roles(traces: Iterable[EncoderTrace]) -> HeadRoles:
    """The roles of all heads, averaged over every sentence of the traces.

    weight of a role = mean over its queries of the sum of the weights to its keys; `role_keys` says which they are. A
    query of a long sentence counts as much as one of a short sentence. One trace is held at a time, so that

        head_roles(encoder.trace(sentence) for sentence in SENTENCES)

    takes no more memory than the longest. Raises ValueError where no token counts as a query.
    """
    total: Float[np.ndarray, ...] = np.zeros(())
    uniform, queries = np.zeros(len(ROLES)), np.zeros(len(ROLES), int)
    sentences = tokens = 0
    for trace in traces:
        for sentence, real in enumerate(trace.real):
            names = trace.tokens[sentence] if trace.tokens else ("",) * len(real)
            keys = role_keys(names, real)
            patterns = np.stack([layer.pattern[sentence] for layer in trace.layers])
            alike = _uniform(trace.mask[sentence])
            total = total + np.einsum("lhqk,rqk->rlh", patterns, keys, optimize=True).astype(float)
            uniform += np.einsum("qk,rqk->r", alike, keys)
            queries += keys.any(axis=-1).sum(axis=-1)
            sentences, tokens = sentences + 1, tokens + int(keys[ROLES.index("itself")].any(axis=-1).sum())
    found = queries > 0
    if not found.any():
        raise ValueError("no token to measure: give at least one sentence with a word.")
    weights = total[found] / queries[found, None, None]
    names = tuple(role for role, counts in zip(ROLES, found, strict=True) if counts)
    return HeadRoles(names, weights, uniform[found] / queries[found], queries[found], sentences, tokens)


def role_keys(tokens: Sequence[str], real: Bool[np.ndarray, "seq"]) -> Bool[np.ndarray, "role query key"]:
    """Which keys a query looks at in each of ROLES; a query without such a key does not count for the role.

    Queries are words and punctuation: real tokens, neither [CLS] nor [SEP].
    previous, next  the token right before or after, where it is a word or punctuation itself: the first token has no
                    previous one and the last no next one, so that [CLS] and [SEP] do not count twice
    itself          the query's own place
    [CLS], [SEP]    those tokens
    punctuation     all punctuation of the sentence together; the queries are words only, because a comma that looks at
                    itself would count as well
    """
    counted = words_among(tokens, real, punctuation=True)
    signs = counted & np.array([is_punctuation(token) for token in tokens], bool)
    own = np.eye(len(tokens), dtype=bool)
    keys = np.stack([
        np.eye(len(tokens), k=-1, dtype=bool) & counted,
        np.eye(len(tokens), k=1, dtype=bool) & counted,
        own,
        np.broadcast_to([token == CLS for token in tokens], own.shape),
        np.broadcast_to([token == SEP for token in tokens], own.shape),
        signs & ~signs[:, None],
    ])  # fmt: skip
    return keys & counted[:, None] & real


def _uniform(mask: Bool[np.ndarray, "head query key"]) -> Float[np.ndarray, "query key"]:
    """The same weight for every key that a query may see, averaged over the heads."""
    visible = mask.astype(float)
    return np.asarray((visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1)).mean(axis=0))
