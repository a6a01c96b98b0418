"""The start page: where one word of a sentence attends to in a trained encoder, and the ways into the app."""

import streamlit as st

from dashboard.lessons.start.entrances import render_encoder_note, render_entrances
from dashboard.lessons.start.lines import render_lines, render_notices, render_sentence_editor
from dashboard.lessons.start.path import render_path
from dashboard.lessons.start.question import page_title, render_question
from dashboard.lessons.start.story import read_story
from dashboard.models.story import story_encoder
from dashboard.navigation import ensure_entrypoint
from dashboard.page_list import START
from dashboard.shell import frame

ensure_entrypoint()  # instead of `frame.begin_page`: the model of the sidebar is not on this page
TITLE = page_title()
frame.render_heading(
    START,
    "To compute a new [[vector]] for a word, an encoder [[attention|attends]] to the words of the sentence. Click a "
    "word to see where it attends to in a trained encoder, computed now.",
    title=TITLE,
)


def render_body() -> None:
    if page_title() != TITLE:  # the sentence was changed here, and the title stands above
        st.rerun()
    with st.spinner("A trained encoder is being loaded."):  # for the first visitors of a server
        encoder = story_encoder()
    story = read_story(encoder)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        render_question(story)
        st.space("stretch")
        render_sentence_editor()
    render_notices(story)
    render_lines(story)
    render_encoder_note(story)
    render_entrances(story)
    render_path(story)


frame.run_as_fragment(render_body)
