"""The sentence of the start page with the lines of the selected word, and what they mean."""

import streamlit as st

from dashboard.components.word_lines import HeadLines, render_word_lines
from dashboard.lessons.attention.word_lines import NOT_DRAWN
from dashboard.lessons.start.question import SKIPPED, is_answered
from dashboard.lessons.start.story import Story
from dashboard.markdown import capitalize, name_in_sentence
from dashboard.models.story import NOUN, PRONOUN
from dashboard.selection.special_tokens import (
    EXPLANATION,
    has_special_tokens,
    render_special_switch,
    shown_tokens,
)
from dashboard.shell import frame
from dashboard.sidebar import text_notices
from dashboard.sidebar.random_encoder import render_apply_button
from dashboard.state.choices import STORY_ANSWER, STORY_TOKEN
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.user_changes import set_text
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.support.number_format import format_weight
from encoder_core.support.wording import head_name


def render_lines(story: Story) -> None:
    """Render the words and, after the answer, the lines of the selected one. A click on a word selects it."""
    is_visible, keys = is_answered(story), shown_tokens(story.words, story.token)
    name = head_name(story.layer, story.head)
    render_word_lines(
        story.words[keys.places],
        story.token - keys.start,
        HeadLines(story.weights[None, keys.places], [name]) if is_visible else None,
        title="",
        sides=("click a word", "it attends to"),
        key="story_lines",
        theme=current_theme(),
        hint="" if is_visible else "The lines appear after your answer.",
        on_word=lambda _, index: _select(keys.start + index),
    )
    if is_visible:
        st.markdown(reading(story))
        frame.render_explained(
            f"A line's width is the [[weight|attention weight]] in [[layer]] {story.layer + 1}, [[head]] "
            f"{story.head + 1}. The weights of a word add up to 1. {NOT_DRAWN} "
            + (EXPLANATION if has_special_tokens(story.words) else "")
        )
        render_special_switch(story.words)


def reading(story: Story) -> str:
    """The largest weight of the selected word in this head, and in the average of all heads, as markdown."""
    words = [name_in_sentence(story.words, place) for place in range(len(story.words))]
    word = words[story.token]
    weights, means = story.weights, story.mean_weights
    best, average, other = int(weights.argmax()), int(means.argmax()), story.key_token
    text = (
        f"**{capitalize(word)} attends most to {words[best]}: {format_weight(float(weights[best]))}** in layer "
        f"{story.layer + 1}, head {story.head + 1}, one of {story.num_heads} heads of {story.encoder}."
    )
    if other not in (best, story.token):
        text += f" Of the other words, {words[other]} has the largest weight: {format_weight(float(weights[other]))}."
    is_pronoun = (story.has_known_answer, story.word, story.words[best]) == (True, PRONOUN, NOUN)
    text += (
        f" That {word} refers to {words[best]} is our reading of one head."
        if is_pronoun
        else " A line shows a weight, not a meaning."
    )
    text += f" Averaged over all heads, {word} attends most to {words[average]}"
    if average == best:
        return f"{text}, too ({format_weight(float(means[average]))})."
    weight_of_best = format_weight(float(means[best]))
    return f"{text} ({format_weight(float(means[average]))}) and gives {words[best]} {weight_of_best}."


def render_notices(story: Story) -> None:
    """Render the notices about the text."""
    for notice in text_notices(story.model.settings, only_first_line=True):
        st.warning(notice, icon=":material/info:")


def render_sentence_editor() -> None:
    """Render a menu to change the text."""
    with st.popover("Change the sentence", icon=":material/edit:"):
        st.text_area("Sentence", height=168, help="The first line is used here; the other pages use all lines.",
                     **bind_widget(SETTINGS["text"], on_change=set_text))  # fmt: skip
        render_apply_button("text")


def _select(index: int) -> None:
    session().set(STORY_TOKEN, index + 1)
    if session().get(STORY_ANSWER) is None:
        session().set(STORY_ANSWER, SKIPPED)
