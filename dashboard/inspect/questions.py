"""Questions with exactly one right option, and a fallback question for ties and single options."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.state.answers import record_answer

TIE = 1e-3  # values closer than this fraction of the largest magnitude count as equal


@dataclass(frozen=True)
class Question:
    """A prediction to make: the options, the index of the right one, and the reason."""

    text: str
    options: Sequence[str]
    answer: int
    why: str


def render_question(question: Question) -> None:
    """Render the question with its options, and the feedback on an answer."""
    with st.container(border=True):
        st.markdown(f"**Predict** — {question.text}")
        # Another question has another key, so that it does not show the answer to this one.
        key = f"predict {zlib.crc32(repr((question.text, *question.options)).encode())}"
        answer = st.radio("Your answer", question.options, index=None, label_visibility="collapsed", key=key,
                          on_change=_record, args=(key, question))  # fmt: skip
        if answer is not None:
            right = question.options[question.answer]
            if answer == right:
                st.success(f"Yes. {question.why}", icon=":material/check:")
            else:
                st.info(f"No, it is “{right}”. {question.why}", icon=":material/lightbulb:")


def _record(key: str, question: Question) -> None:
    """Keep the answer for the page Results."""
    answer = st.session_state.get(key)
    if answer is not None:
        right = question.options[question.answer]
        record_answer(question.text, question.options, answer, right, question.why)


def rank_distinct(values: Float[np.ndarray, "value"]) -> list[int]:
    """The index of the largest value, then those of clearly smaller values in descending order; -inf is smaller.

    Empty if no value is finite; a single index if no other value is clearly smaller.
    """
    finite = np.isfinite(values)
    if not finite.any():
        return []
    best = int(np.argmax(values))
    smaller = values < values[best] - TIE * np.abs(values[finite]).max()
    return [best, *(int(place) for place in np.argsort(-values, kind="stable") if smaller[place])]


def largest_value_question(
    text: str,
    values: Float[np.ndarray, "value"],
    name: Callable[[int], str],
    why: Callable[[int], str],
    fallback: Question,
    *,
    spread: bool = False,
) -> Question:
    """Which of up to three values is the largest? Returns `fallback` if no other value is clearly smaller.

    text    must say "which of these", because values that tie with the largest are not options
    name    index -> text of the option
    why     index -> reason why it is the answer
    spread  take the other options from the middle and the end of the ranking instead of its start
    """
    places = rank_distinct(values)
    if len(places) < 2:
        return fallback
    best, *others = places
    wrong = {others[len(others) // 2], others[-1]} if spread else others[:2]
    options = sorted([best, *wrong])
    return Question(text, [name(place) for place in options], options.index(best), why(best))


def count_question(text: str, count: int, why: str) -> Question:
    """A question about a count (at least 1); the other options are twice and four times the count."""
    options = [f"{number:,}" for number in (count, 2 * count, 4 * count)]
    first = count % 3  # so that the answer is not always the first option
    options = [*options[first:], *options[:first]]
    return Question(text, options, options.index(f"{count:,}"), why)
