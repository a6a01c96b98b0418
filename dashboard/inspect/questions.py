"""Questions with exactly one right option: where values are equal, or nothing is to choose from, another is asked."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from jaxtyping import Float

TIE = 1e-3  # of the largest magnitude: values closer than this count as equal


@dataclass(frozen=True)
class Question:
    """What to predict before looking: the options, the right one's index, and why it is right."""

    text: str
    options: Sequence[str]
    answer: int
    why: str


def ask(question: Question) -> None:
    """The question with its options; an answer is commented at once."""
    with st.container(border=True):
        st.markdown(f"**Predict** — {question.text}")
        # A question of its own has a radio button of its own: an answer to another one does not carry over.
        key = f"predict {zlib.crc32(repr((question.text, *question.options)).encode())}"
        said = st.radio("Your answer", question.options, index=None, label_visibility="collapsed", key=key)
        if said is not None:
            right = question.options[question.answer]
            if said == right:
                st.success(f"Yes. {question.why}", icon=":material/check:")
            else:
                st.info(f"It is “{right}”. {question.why}", icon=":material/lightbulb:")


def ranked(values: Float[np.ndarray, "value"]) -> list[int]:
    """The place of the largest value, then those of clearly smaller ones in falling order; -inf counts as smaller.

    Empty where no value is finite; one place only where no other value is clearly smaller.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return []
    best = int(np.argmax(values))
    smaller = values < values[best] - TIE * np.abs(values[finite]).max()
    return [best, *(int(place) for place in np.argsort(-values, kind="stable") if smaller[place])]


def which_is_largest(
    text: str,
    values: Float[np.ndarray, "value"],
    name: Callable[[int], str],
    why: Callable[[int], str],
    otherwise: Question,
    *,
    spread: bool = False,
) -> Question:
    """Which of up to three values is the largest? `otherwise` where no other value is clearly smaller.

    text    should say "which of these": values that tie with the largest are no options
    name    the option for a place
    why     why the place is the answer
    spread  take the other options from the middle and the end of the order, not from its start
    """
    places = ranked(values)
    if len(places) < 2:
        return otherwise
    best, *others = places
    chosen = {others[len(others) // 2], others[-1]} if spread else others[:2]
    options = sorted([best, *chosen])
    return Question(text, [name(place) for place in options], options.index(best), why(best))


def how_many(text: str, count: int, why: str) -> Question:
    """A question about a count (at least 1), with its double and its fourfold as the other options."""
    options = [f"{number:,}" for number in (count, 2 * count, 4 * count)]
    first = count % 3  # not always the same place
    options = [*options[first:], *options[:first]]
    return Question(text, options, options.index(f"{count:,}"), why)
