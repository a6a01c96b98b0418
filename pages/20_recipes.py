"""Recipes: tutorials, reproduced, and the points in which their code, their text and the paper differ."""

from functools import partial

import streamlit as st

from dashboard.inspect.predict_first import ask_below, ask_first
from dashboard.lessons.recipes import by_hand, facts, figures, items, notes, training
from dashboard.lessons.recipes.questions import recipe_question
from dashboard.lessons.recipes.recipe_choice import chosen_recipe, render_recipe_choice
from dashboard.navigation import open_page
from dashboard.page_list import page_named
from dashboard.selection.view_choice import render_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.shell.untrained_note import render_note_on_chance
from dashboard.state.choices import RECIPE_VIEW
from encoder_core import RECIPES
from encoder_core.support.wording import in_words
from encoder_core.tutorials import ITEMS

current = frame.begin_page()
seed = current.settings.seed


def render_note() -> None:
    st.space("stretch")
    render_note_on_chance(partial(open_page, "map"))


recipe, variant = chosen_recipe(current.settings)
config, example = recipe.config(variant), recipe.example

frame.render_heading(
    page_named("recipes"),
    "What the tutorials say and what their code does, computed and compared. "
    f"**{recipe.title}** ({recipe.library}, [source]({recipe.source})). {recipe.description}",
    [Shape("ids", (example.batch, example.seq))],
    [
        Shape("weights", (config.num_layers, example.batch, config.num_heads, example.seq, example.seq), "attention"),
        Shape("output", (example.batch, example.seq, config.d_model)),
        *([Shape("logits", (example.batch, example.seq, config.vocab_size))] if config.output_head else []),
    ],
    aside=render_note,
)
render_recipe_choice(recipe, variant)
facts.render_sizes(recipe, variant)

NOTES = "Text and code"
VIEWS = {
    "Its figures": lambda: figures.render_figures(recipe.name, variant, seed),
    **({items.ROWS_VIEW: lambda: items.render_items(recipe, variant, seed)} if recipe.name in ITEMS else {}),
    NOTES: lambda: notes.render_notes(recipe, seed),
    "Training and evaluation": lambda: training.render_training(recipe.name, variant, seed),
    **(
        {"Attention by hand": by_hand.render_attention, "One-hot by hand": by_hand.render_one_hot}
        if recipe.name == "nanolm"
        else {}
    ),
    f"All {in_words(len(RECIPES))} compared": facts.render_comparison,
}


def body() -> None:
    view = render_choice("View", list(VIEWS), RECIPE_VIEW, default="Its figures", hide_label=True)
    question = recipe_question(recipe.name, seed)
    if question:
        ask_first(question, recipe.name)
    if question and view == NOTES:  # which contain the answer
        ask_below(question)
    VIEWS[view]()
    if question and view != NOTES:
        ask_below(question)


frame.run_as_fragment(body)
