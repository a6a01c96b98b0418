"""Full stack: what all blocks together make of the tokens, one view at a time."""

import streamlit as st

from dashboard.inspect.depths import render_depths
from dashboard.lessons.full_stack.ablation import left_out
from dashboard.lessons.full_stack.head_roles import pick_role, what_heads_look_at
from dashboard.lessons.full_stack.hidden_states import hidden_states
from dashboard.lessons.full_stack.in_and_out import in_and_out
from dashboard.lessons.full_stack.one_word import one_word
from dashboard.lessons.full_stack.rollout import rollout
from dashboard.lessons.full_stack.same_word import in_several_sentences, pick_word
from dashboard.lessons.full_stack.sentences import pick_window, sentences
from dashboard.lessons.full_stack.similarity import similarity
from dashboard.lessons.full_stack.tiles import all_heads, head_average
from dashboard.lessons.full_stack.view import READ_OUT, View, blocks_in_words, enters, pick_dims
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.view_choice import grouped_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import VIEW
from encoder_core.explain import recompute
from encoder_core.scenes.position import text_slice

current = frame.begin()
config = current.config
seq, d_model, num_layers = current.batch.ids.shape[1], config.d_model, config.num_layers

FOLLOWS_LAYERS = ("Rollout", "Hidden states", "Similarity", "Same word")
VIEWS = {
    "Attention": {
        "All heads": View(("layer", "head", "token"), all_heads),
        "Head average": View(("layer", "token"), head_average),
        "One word": View(("layer", "head", "token", "key_token"), one_word),
        "What heads look at": View(("layer", "head"), what_heads_look_at, pick_role),
        "Rollout": View(("layer", "token"), rollout),
        "Ablation": View(("layer", "head", "token"), left_out),
    },
    "Vectors": {
        "Hidden states": View(("layer", "token"), hidden_states, pick_dims),
        "Similarity": View(("layer", "token"), similarity),
        "Same word": View((), in_several_sentences, pick_word),
        "Sentences": View((), sentences, pick_window),
        "In and out": View(("token",), in_and_out, pick_dims),
    },
}

KIND = ", one after another, the same kind each time with parameters of its own" if num_layers > 1 else ""

frame.heading(
    stage_named("full_stack"),
    f"{blocks_in_words(config)}{KIND}. What goes in is {enters(config)}; what comes out is a token in its context.",
    [Shape("embedded", (seq, d_model))],
    [Shape("weights", (num_layers, config.num_heads, seq, seq), "attention"), Shape("output", (seq, d_model))],
)


def body() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = {group: list(views) for group, views in VIEWS.items()}
        name = grouped_choice("View", names, VIEW)
        view = next(views[name] for views in VIEWS.values() if name in views)
        picked = view.pick(current)
    at = focus.pick(current, *view.parts, badge=lambda at: frame.recomputed(difference(at)))
    if config.attention_read_out == "input" and name in FOLLOWS_LAYERS:
        st.caption(READ_OUT)
    result = view.draw(current, at, picked)
    if result:
        render_depths(
            *result[:4], result.inspection or inspect_cell(current, at, text_slice("output", at).cell(at.token, 0))
        )


def difference(at: Focus) -> float:
    """The block looked at, computed again from what enters it."""
    return recompute.block(current.run, at.layer, at.sentence)


frame.interactive(body)
