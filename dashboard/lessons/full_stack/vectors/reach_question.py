"""The question of "In and out": on the inputs of which tokens an output can depend."""

import numpy as np

from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.reach import is_reach_limited, reachable
from dashboard.lessons.full_stack.view import depth_question, layers_text
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import visible_keys
from encoder_core.support.wording import format_count

_NO_KEY = "The mask hides every key from this token, so attention brings it no value of another token."


def reach_question(current: Model, at: Focus) -> Question:
    """On the inputs of which tokens can an output depend? Follows from the visible keys of each layer."""
    seq, real = len(at.labels), np.flatnonzero(current.batch.real[at.sentence]).tolist()
    visible = visible_keys(current.trace, at.sentence)
    reach = frozenset(np.flatnonzero(reachable(np.any(visible, axis=1))[at.token]).tolist())
    sees_no_key = not visible[:, :, at.token].any()
    has_unmasked = bool((visible & ~current.trace.mask[at.sentence]).any())
    others = "allows other keys" if visible[..., ~np.tri(seq, dtype=bool)].any() else "hides more keys"
    causal = f"This would be a causal mask and nothing else; the mask of this model {others}."
    options = {  # later ones replace earlier ones that are the same set
        frozenset([at.token]): (
            "only on its own",
            "Attention brings in values of other tokens.",
        ),
        frozenset(range(at.token + 1)): ("on its own and those before it", causal),
        frozenset(range(seq)): (
            "on all, also on padding" if len(real) < seq else "on all",
            "The mask hides some of them from every token that this one can attend to.",
        ),
        frozenset(real): (
            "on all words, not on padding" if len(real) < seq else "on all",
            "The mask decides which tokens can attend to which, and it does not separate words from padding here."
            if reach - frozenset(real)
            else "The mask hides padding here, but some of the words as well.",
        ),
    }
    if at.token == 0 and reach == frozenset([0]) and len(options) > 2:
        options[reach] = ("only on its own", "Attention brings in values of other tokens.")  # nothing stands before it
    if len(real) == seq:
        options[frozenset(range(seq))] = ("on all", "The mask hides some of them in every layer.")
    is_clear = at.token in real and not is_reach_limited(current, at.sentence)
    if reach not in options or len(options) < 2 or not is_clear:
        return depth_question(current)
    right, _ = options.pop(reach)
    return Question(
        f"on the embeddings of which tokens can the output of “{escape_token(at.labels[at.token])}” depend?",
        right,
        f"{'The mask and the scores that you set let' if has_unmasked else 'The mask lets'} it collect information "
        f"from {len(reach)} of {format_count(seq, 'token')} in {layers_text(current.config)}, its own included.",
        [
            WrongOption(
                text,
                "The scores that you set make keys visible that are masked, and the result is another set of tokens.",
                "the scores on the page Scaled scores",
            )
            if has_unmasked
            else WrongOption(text, _NO_KEY if sees_no_key else reason, "the mask on the page Scaled scores")
            for text, reason in options.values()
        ],
    )
