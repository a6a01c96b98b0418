"""The question of the start page: what "it" refers to. The lines appear after an answer."""

import streamlit as st

from dashboard.lessons.start.story import Story
from dashboard.markdown import name_in_sentence
from dashboard.models.story import NOUN, OTHER_NOUN, PRONOUN, has_known_answer, has_question, story_settings, words_of
from dashboard.page_list import START
from dashboard.state.answers import has_answered, record_answer
from dashboard.state.choices import STORY_ANSWER, STORY_TOKEN
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS, WORDS
from encoder_core.support.number_format import format_fixed

SKIPPED = "skipped"
_QUESTION = f"what does “{PRONOUN}” refer to?"
_OPTIONS = {noun: f"the {noun}" for noun in (NOUN, OTHER_NOUN)}
_ANSWERED_HERE = "answer of the start page"  # in `Session.memo`: the user's own answer, not one of a link
_MISCONCEPTION = (
    f"“{OTHER_NOUN}” is the nearest noun before “{PRONOUN}”, but a pronoun can stand for one further away. Look at the "
    f"lines to both nouns: attention compares “{PRONOUN}” with every token, near or far."
)


def page_title() -> str:
    """The title of the page: the question, where the sentence has its words."""
    return START.title if has_question(words_of(_text())) else "Where does a word attend to?"


def is_answered(story: Story) -> bool:
    """Whether the lines are shown: after an answer, and for a sentence without the question."""
    return not story.asks or session().get(STORY_ANSWER) is not None


def render_question(story: Story) -> None:
    """Render the options, or after an answer whether this head agrees with it. Call it in a horizontal container."""
    if not is_answered(story):
        st.markdown(f"**Predict** — {_QUESTION}", width="content")
        for noun in (NOUN, OTHER_NOUN):
            st.button(f"the {noun}", key=f"story answer {noun}", on_click=answer, args=(noun,))
        st.button("Skip", type="tertiary", key="story answer skip", on_click=answer, args=(SKIPPED,))
    elif story.asks:
        if story.word == PRONOUN:
            st.markdown(_feedback(story))
        st.button("Ask again", type="tertiary", icon=":material/replay:", on_click=answer, args=(None,))


def answer(choice: str | None) -> None:
    """Set the answer, or with None hide the lines again; the question is about "it"."""
    session().set(STORY_ANSWER, choice)
    session().set(STORY_TOKEN, None)
    session().memo[_ANSWERED_HERE] = choice
    if choice in _OPTIONS and has_known_answer(_text()):
        reason = f"A {NOUN} can be tired, a {OTHER_NOUN} cannot."
        misconception = _MISCONCEPTION if choice == OTHER_NOUN else ""
        record_answer(_QUESTION, list(_OPTIONS.values()), _OPTIONS[choice], _OPTIONS[NOUN], reason, misconception)


def _own_answer() -> str | None:
    """The user's own answer; None if it is that of a person who copied the URL."""
    choice = session().get(STORY_ANSWER)
    given = _OPTIONS.get(choice or "", "")
    is_own = session().memo.get(_ANSWERED_HERE) == choice or has_answered(_QUESTION, list(_OPTIONS.values()), given)
    return choice if is_own else None


def _feedback(story: Story) -> str:
    """What readers say, and whether the head gives their noun more weight than the other one.

    Of a sentence of the visitor's own, the visitor is the only reader.
    """
    places = {noun: story.words.index(noun) for noun in (NOUN, OTHER_NOUN)}
    weights = {noun: float(story.weights[place]) for noun, place in places.items()}
    measured = " and ".join(
        f"{name_in_sentence(story.words, places[noun])} {format_fixed(weight, 2)}" for noun, weight in weights.items()
    )
    choice = _own_answer()
    if not story.has_known_answer:
        answer = f"You said “{choice}”. " if choice in weights else ""
        larger = max(weights, key=lambda noun: weights[noun])
        return f"{answer}This head gives “{larger}” more weight: “{PRONOUN}” gives {measured}."
    agrees = "This head agrees" if weights[NOUN] > weights[OTHER_NOUN] else "This head does not agree"
    readers = {
        NOUN: f"You said “{NOUN}”, as most readers do",
        OTHER_NOUN: f"You said “{OTHER_NOUN}”; most readers say “{NOUN}”",
    }.get(choice or "", f"Most readers say “{NOUN}”")
    misconception = f" {_MISCONCEPTION}" if choice == OTHER_NOUN else ""
    reason = f"a {NOUN} can be tired, a {OTHER_NOUN} cannot"
    return f"{readers}: {reason}.{misconception} {agrees}: “{PRONOUN}” gives {measured}."


def _text() -> str:
    """The sentence of the page."""
    return story_settings(WORDS, session().get(SETTINGS["text"])).text
