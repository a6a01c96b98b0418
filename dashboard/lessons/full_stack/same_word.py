"""The view of a word in several sentences: one row of the embedding table, a vector of its own in each context."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many, which_is_largest
from dashboard.lessons import example_sentences
from dashboard.lessons.full_stack.hidden_states import stage_names
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.state.choices import WORD
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core import EncoderTrace, same_word, shared_words
from encoder_core.analysis import cosines, residual_stream
from encoder_core.analysis.language import SharedWord, different_words
from encoder_core.analysis.language.same_word import Place
from encoder_core.explain import Cell
from encoder_core.figures import format_fixed, format_number
from encoder_core.figures.base import shorten
from encoder_core.scenes import language as scenes

EXAMPLES = ("She took the money to the bank.", "The bank gave him a loan.", "He sat on the bank of the river.")
MOST = 4  # other sentences drawn as curves

ByStage = Float[np.ndarray, "stage"]


class _Compared(NamedTuple):
    """A word at one place, and what it is compared with.

    here     the sentence looked at, if the word is in it, and its place there
    found    its cosines with itself at other places
    last     of those the one that is least like it after the last block
    control  the mean cosines of different words of the two sentences; None where they have none
    """

    word: str
    here: Place
    found: Mapping[Place, ByStage]
    last: Place
    control: ByStage | None


def pick_word(current: Model) -> SharedWord | None:
    """One of the words that occur in several sentences; None where there is none."""
    found = {word.token: word for word in shared_words(current.trace.tokens, current.trace.real)}
    if not found:
        return None
    chosen = session().among(WORD, list(found), next(iter(found)))
    bound = shows(WORD, chosen, tuple(found), begins=list(found))
    st.selectbox("Word", list(found), format_func=shorten, filter_mode=None, width=150, **bound)
    return found[chosen]


def in_several_sentences(current: Model, at: Focus, word: SharedWord | None) -> Depths | None:
    """Cosines of a word with itself in other sentences, by layer; beside them those with all of one of them."""
    if word is None:
        needed = "This view needs two sentences with a word in common."
        example_sentences.offer(current, needed, EXAMPLES, key="full_stack_same_word_examples")
        return None
    compared, names = _compare(current.trace, word, at.sentence), stage_names(current.config)
    names = names[: current.config.num_layers + 1]
    series = {f"in sentence {sentence + 1}": values for (sentence, _), values in compared.found.items()}
    between = _draw(current.trace, compared, series, names)
    st.caption(_in_words(compared))
    rows = series if compared.control is None else series | {scenes.CONTROL: compared.control}
    return Depths(
        {"with itself": Table(np.stack(list(rows.values())), list(rows), names), "with all": between},
        r"\begin{aligned} &\cos\left(x^{(l)}_{a,i},\, x^{(l)}_{b,j}\right), \quad l = 0 \dots "
        rf"{current.config.num_layers} \\ &\text{{where token }} i \text{{ of sentence }} a"
        r" \text{ is token } j \text{ of } b \end{aligned}",
        [shared_words, same_word, different_words],
        _most_like(compared) if len(series) > 1 else _apart(compared),
        inspect_cell(current, at, Cell("output", (*compared.here, 0))),
    )


def _compare(trace: EncoderTrace, word: SharedWord, sentence: int) -> _Compared:
    here = next((place for place in word.places if place[0] == sentence), word.places[0])
    others = [place for place in word.places if place != here][:MOST]
    found = {place: same_word(trace, here, place) for place in others}
    last = min(others, key=lambda place: float(found[place][-1]))
    control = different_words(trace, here[0], last[0])
    return _Compared(word.token, here, found, last, None if np.isnan(control).any() else control)


def _draw(trace: EncoderTrace, compared: _Compared, series: Mapping[str, ByStage], names: list[str]) -> Table:
    """The picture; returns what its heatmap shows."""
    here, last = compared.here, compared.last
    rows, others = (residual_stream(trace, place[0], final_norm=False) for place in (here, last))
    places = np.flatnonzero(trace.real[last[0]]).tolist()
    tokens = [trace.tokens[last[0]][place] for place in places]
    between = cosines(rows[:, [here[1]]], others[:, places])[:, 0]
    titles = (
        f"“{shorten(compared.word)}” of sentence {here[0] + 1} with itself",
        f"… and with all of sentence {last[0] + 1}",
    )
    parts = scenes.same_word(
        series, compared.control, between, names, titles=titles, tokens=tokens, token=places.index(last[1]),
        theme=current_theme(),
    )  # fmt: skip
    plot(parts, key="full_stack_same_word_plot")
    return Table(between, names, tokens)


def _in_words(compared: _Compared) -> str:
    first = min(compared.found.values(), key=lambda cosines: cosines[0])[:1]
    ends = [f"with that of sentence {place[0] + 1}, {_two(values)}" for place, values in compared.found.items()]
    if compared.control is not None:
        ends.append(f"of different words, {_two(compared.control)} on average")
    return (
        f"“{plain(compared.word)}” is one row of the embedding table. Before the first block, its cosines with itself "
        f"at other places are {_two(first)} or more. Cosines after the last block: {'; '.join(ends)}."
    )


def _two(cosines: ByStage) -> str:
    """The last one, as it is read."""
    return format_fixed(cosines[-1], 2)


def _most_like(compared: _Compared) -> Question:
    """In which of the other sentences is it most like here?"""
    places, word = list(compared.found), plain(compared.word)
    cosines = np.array([float(compared.found[place][-1]) for place in places])
    return which_is_largest(
        f"after the last block, which of these “{word}” is most like that of sentence {compared.here[0] + 1}?",
        cosines,
        lambda index: f"that of sentence {places[index][0] + 1}",
        lambda best: f"Their cosine is {format_number(cosines[best], 3)}.",
        how_many(
            f"with how many other places of “{word}” is it compared here?", len(places), "There is one curve for each."
        ),
    )


def _apart(compared: _Compared) -> Question:
    (cosine,) = compared.found.values()
    change = float(cosine[-1] - cosine[0])
    return Question(
        f"do the blocks turn the two “{plain(compared.word)}” away from each other, or towards each other?",
        ["away from each other", "towards each other", "neither: their cosine changes by less than 0.001"],
        2 if abs(change) < 1e-3 else int(change > 0),
        f"Their cosine goes from {format_number(cosine[0], 3)} to {format_number(cosine[-1], 3)}.",
    )
