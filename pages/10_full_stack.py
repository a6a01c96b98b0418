"""Full stack: attention and hidden states across all layers, one view at a time."""

import streamlit as st

from dashboard.inspect.depths import render_depths
from dashboard.lessons.full_stack import recomputed
from dashboard.lessons.full_stack.attention.ablation import render_ablation
from dashboard.lessons.full_stack.attention.head_pairs import render_head_pairs
from dashboard.lessons.full_stack.attention.head_roles import render_head_roles, render_role_picker
from dashboard.lessons.full_stack.attention.one_word import render_one_word
from dashboard.lessons.full_stack.attention.rollout import render_rollout
from dashboard.lessons.full_stack.attention.tiles import render_all_heads, render_head_averages
from dashboard.lessons.full_stack.attention.view_comparison import render_view_comparison
from dashboard.lessons.full_stack.predictions.logit_attribution import render_logit_attribution
from dashboard.lessons.full_stack.predictions.logit_lens import render_logit_lens
from dashboard.lessons.full_stack.predictions.output_token import NO_PREDICTIONS, render_output_picker
from dashboard.lessons.full_stack.predictions.predicted_tokens import render_predicted_tokens
from dashboard.lessons.full_stack.vectors.geometry import move_focus_to_word, render_geometry, render_geometry_pickers
from dashboard.lessons.full_stack.vectors.hidden_states import render_hidden_states
from dashboard.lessons.full_stack.vectors.in_and_out import render_in_and_out
from dashboard.lessons.full_stack.vectors.same_word import render_same_word, render_word_picker
from dashboard.lessons.full_stack.vectors.sentence_vectors import render_sentences, render_window_picker
from dashboard.lessons.full_stack.vectors.similar_contexts import render_layer_picker, render_similar_contexts
from dashboard.lessons.full_stack.vectors.similarity import render_similarity
from dashboard.lessons.full_stack.view import READ_OUT_NOTE, View, render_dims_picker
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.inspected_cell import CELL, inspect_cell
from dashboard.selection.view_choice import render_grouped_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import VIEW
from dashboard.state.session import session
from encoder_core.analysis import has_predictions
from encoder_core.scenes.focus import text_slice

current = frame.begin_page()
config = current.config
seq, d_model, num_layers = current.batch.ids.shape[1], config.d_model, config.num_layers

VIEWS_BY_LAYER = ("Rollout", "Hidden states", "Similarity", "Same word")
COMPARED_VIEWS = ("Head average", "One word", "Rollout")  # of the attention of one token
VIEWS = {
    "Attention": {
        "All heads": View(("layer", "head", "token"), render_all_heads, recomputation=recomputed.WEIGHTS),
        "Head average": View(("layer", "token"), render_head_averages, recomputation=recomputed.MEAN_WEIGHTS),
        "One word": View(("layer", "head", "token", "key_token"), render_one_word, recomputation=recomputed.WEIGHTS),
        "What heads look at": View(("layer", "head"), render_head_roles, render_role_picker, of_sentence=False),
        "Pairs of a head": View(("layer", "head"), render_head_pairs, of_sentence=False),
        "Rollout": View(("layer", "token"), render_rollout, recomputation=recomputed.ROLLOUT),
        "Ablation": View(("layer", "head", "token"), render_ablation),
    },
    "Vectors": {
        "Hidden states": View(
            ("layer", "token"), render_hidden_states, render_dims_picker, recomputation=recomputed.LAYER
        ),
        "Geometry": View(("head", "token"), render_geometry, render_geometry_pickers, move_focus=move_focus_to_word),
        "Similarity": View(("layer", "token"), render_similarity),
        "Same word": View((), render_same_word, render_word_picker),
        "Similar contexts": View(("token",), render_similar_contexts, render_layer_picker),
        "Sentences": View((), render_sentences, render_window_picker),
        "In and out": View(("token",), render_in_and_out, render_dims_picker, recomputation=recomputed.OUTPUT),
    },
}

PREDICTION_VIEWS = {
    "Predicted tokens": View(
        ("token",), render_predicted_tokens, render_output_picker, recomputation=recomputed.LOGITS
    ),
    "Logit lens": View(("token",), render_logit_lens, render_output_picker, recomputation=recomputed.LENS),
    "Logit attribution": View(("layer", "head", "token"), render_logit_attribution, render_output_picker),
}
if has_predictions(config):
    VIEWS["Prediction"] = PREDICTION_VIEWS
elif session().get(VIEW) in PREDICTION_VIEWS:
    session().report_invalid(VIEW, NO_PREDICTIONS, "All heads")
    session().set_derived(VIEW, VIEW.default)

render_opening(
    "full_stack",
    current,
    [Shape("embedded", (seq, d_model))],
    [Shape("weights", (num_layers, config.num_heads, seq, seq), "attention"), Shape("output", (seq, d_model))],
)


def render_body() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        names = {group: list(views) for group, views in VIEWS.items()}
        name = render_grouped_choice("View", names, VIEW)
        view = next(views[name] for views in VIEWS.values() if name in views)
    view.move_focus(current)
    with focus.focus_line():
        at = focus.render_focus_pickers(current, *view.parts, of_sentence=view.of_sentence)
        choice = view.render_picker(current)
        if view.recomputation and view.recomputation.covers(config):
            st.space("stretch")
            view.recomputation.render_badge(current, at)
    if config.attention_read_out == "input" and name in VIEWS_BY_LAYER:
        st.caption(READ_OUT_NOTE)
    result = view.render(current, at, choice)
    if name in COMPARED_VIEWS:
        render_view_comparison(current, focus.resolve_focus(current))
    if result:
        # The figure of most views has no cell of a tensor: the numbers are then those of the figure, until a click.
        begins_with_table = result.inspection is None and not session().get(CELL)
        inspection = result.inspection or inspect_cell(current, at, text_slice("output", at).cell(at.token, 0))
        render_depths(*result[:4], inspection, begins_with_table=begins_with_table)


frame.run_as_fragment(render_body)
