"""The path from the sentence to the output: a small heatmap of each stage, with the row of the selected word."""

from dataclasses import replace
from functools import lru_cache
from itertools import groupby

import streamlit as st

from dashboard.components.diagram import Card, Group, draw_card, render_diagram
from dashboard.lessons.map import input_group, layer_group, output_group
from dashboard.lessons.start.story import Story, follow, story_choices
from dashboard.markdown import escape_token
from dashboard.models.model import model_for
from dashboard.page_list import STAGES
from dashboard.state.session import session
from dashboard.state.settings import Settings
from dashboard.theme import current_theme


def render_path(story: Story) -> None:
    """Render one card for each stage. A click opens the stage with the encoder, the head and the word of the story."""
    st.header("From the sentence to the output", anchor=False)
    st.caption(
        f"One tensor of each stage in {story.encoder}; those of a layer or a head are from layer {story.layer + 1}, "
        f"head {story.head + 1}. The outlined row belongs to “{escape_token(story.word)}”. Click a picture to open its "
        "stage."
    )
    render_diagram(
        [Group(path_cards(story), pairs=True)],
        key="story_path",
        theme=current_theme(),
        on_open=lambda stage: follow(story, stage),
        query=session().query_with(story_choices(story)),
    )


def path_cards(story: Story) -> list[Card]:
    """One card for each stage, with the row of the selected word outlined."""
    return [replace(card, row=story.token) for card in _draw_path(story.model.settings, story.layer, story.head)]


@lru_cache(maxsize=64)
def _draw_path(settings: Settings, layer: int, head: int) -> list[Card]:
    """One card of the map for each stage: the last one before the next stage begins. Drawn once for all sessions."""
    model = model_for(settings)
    groups = (input_group(model, 0), layer_group(model, 0, layer, head), output_group(model, 0))
    by_stage: dict[str, Card] = {}
    for name, cards in groupby((card for group in groups for card in group.cards), lambda card: card.stage):
        by_stage.setdefault(name, list(cards)[-1])
    return [
        draw_card(replace(by_stage[stage.name], title=f"{stage.number} {stage.short}", words=()))
        for stage in STAGES[1:]
    ]
