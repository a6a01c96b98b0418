"""On the inputs of which tokens an output can depend, also with edits."""

import numpy as np
from jaxtyping import Bool, Float

from dashboard.models.model import Model
from encoder_core import Run
from encoder_core.analysis import stack_patterns, visible_keys

Paths = Bool[np.ndarray, "layer query key"]


def reachable(visible: Paths) -> Bool[np.ndarray, "token source"]:
    """Whether the output of a token can depend on the input of another one after all layers.

    visible  whether the query attends to the key in some head of the layer; a token always keeps its own vector
    """
    return _follow(visible | np.eye(visible.shape[-1], dtype=bool))


def is_reach_limited(current: Model, sentence: int) -> bool:
    """Whether an output depends on fewer inputs than its visible keys suggest.

    Dropout and weights that round to 0 leave out keys; heads that are switched off pass no values on, and a residual
    factor of 0 removes the token's own vector.
    """
    if leaves_out_keys(current, sentence):
        return True
    visible = visible_keys(current.trace, sentence)
    own_vectors = np.eye(visible.shape[-1], dtype=bool) & _keeps_own_vector(current.run, sentence)[:, :, None]
    return not np.array_equal(_follow(used_keys(current, sentence) | own_vectors), reachable(np.any(visible, axis=1)))


def leaves_out_keys(current: Model, sentence: int) -> bool:
    """Whether some visible keys have no weight: by dropout, or because the weight rounds to 0."""
    unused = visible_keys(current.trace, sentence) & (stack_patterns(current.trace, sentence) == 0)
    return current.trace.kept is not None or bool(unused[_active_heads(current.run)].any())


def weights_add_up(
    patterns: Float[np.ndarray, "layer head query key"], sees_key: Bool[np.ndarray, "layer head query"]
) -> bool:
    """Whether the weights of every row with a visible key add up to 1, which dropout changes."""
    return bool(np.allclose(patterns.sum(axis=-1)[sees_key], 1, atol=1e-3))


def used_keys(current: Model, sentence: int) -> Paths:
    """Whether the query attends to the key in some head that is not switched off."""
    visible = visible_keys(current.trace, sentence)
    return np.any(visible & _active_heads(current.run)[:, :, None, None], axis=1)


def computed_keys(run: Run, sentence: int) -> Bool[np.ndarray, "layer head query key"]:
    """True where a query attends to a key with a score that no edit sets."""
    computed = visible_keys(run.trace, sentence)
    for layer, cells in run.effects.scores.items():
        for edited, *cell in cells:
            computed[layer, *cell] &= edited != sentence
    return computed


def uses_changed_tokens(used: Paths, token: int) -> bool:
    """Whether a token attends to others that have changed in an earlier layer, if it is hidden as key."""
    others = np.arange(used.shape[-1]) != token
    changed = np.zeros(used.shape[-1], dtype=bool)
    for layer in used:
        sees_changed = np.any(layer & changed & others, axis=-1)
        if sees_changed[token]:
            return True
        changed |= sees_changed | layer[:, token]
    return False


def _follow(paths: Paths) -> Bool[np.ndarray, "token source"]:
    """The paths of all layers, one after the other."""
    reach = np.eye(paths.shape[-1], dtype=bool)
    for layer in paths:
        reach = (layer.astype(np.int64) @ reach) > 0
    return reach


def _active_heads(run: Run) -> Bool[np.ndarray, "layer head"]:
    """Whether the output of a head depends on its keys: its factor, its part of W_V and that of W_O are not 0."""
    num_heads, active = run.config.num_heads, []
    for layer in range(run.config.num_layers):
        values, out = (run.edited_parameters[f"layers.{layer}.attention.{name}.kernel"] for name in ("value", "out"))
        reads = values.reshape(len(values), num_heads, -1).any(axis=(0, 2))
        writes = out.reshape(num_heads, -1).any(axis=1)
        active.append((run.head_factors(layer) != 0) & reads & writes)
    return np.stack(active)


def _keeps_own_vector(run: Run, sentence: int) -> Bool[np.ndarray, "layer token"]:
    """Whether the output of attention and its residual depend on the token's own vector, its value aside.

    By the residual, or by its query: of two or more visible keys in a head, at least one has a computed score.
    """
    visible, computed = visible_keys(run.trace, sentence), computed_keys(run, sentence)
    by_query = computed.any(axis=-1) & (visible.sum(axis=-1) > 1) & _active_heads(run)[:, :, None]
    residual = [run.residual_factor(layer, "attention") != 0 for layer in range(len(visible))]
    return by_query.any(axis=1) | np.array(residual)[:, None]
