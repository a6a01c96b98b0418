"""Full stack: what all blocks together make of the tokens, one view at a time."""

import streamlit as st

from dashboard import focus, frame
from dashboard.cells import look, of_text
from dashboard.focus import Focus
from dashboard.frame import Shape
from dashboard.sections.full_stack.ablation import left_out
from dashboard.sections.full_stack.hidden_states import hidden_states
from dashboard.sections.full_stack.in_and_out import in_and_out
from dashboard.sections.full_stack.rollout import rollout
from dashboard.sections.full_stack.similarity import similarity
from dashboard.sections.full_stack.tiles import all_heads, head_average
from dashboard.sections.full_stack.view import View, blocks_in_words, enters
from dashboard.stages import stage_named
from dashboard.window import WINDOW, window
from encoder_core import recompute

current = frame.begin()
config = current.config
seq, d_model, num_layers = current.batch.ids.shape[1], config.d_model, config.num_layers
stages = num_layers + 1 + config.final_norm

VIEWS = {
    "All heads": View(("layer", "head", "token"), all_heads),
    "Head average": View(("layer", "token"), head_average),
    "Rollout": View(("layer", "token"), rollout),
    "Hidden states": View(("layer", "token"), hidden_states, width=max(4, 200 // stages // 4 * 4)),
    "Similarity": View(("layer", "token"), similarity),
    "Ablation": View(("layer", "head", "token"), left_out),
    "In and out": View(("token",), in_and_out, width=WINDOW),
}

frame.heading(
    stage_named("full_stack"),
    f"{blocks_in_words(config)}, one after another, the same kind each time with parameters of its own. What goes in "
    f"is {enters(config)}; what comes out is a token in its context.",
    [Shape("embedded", (seq, d_model))],
    [Shape("weights", (num_layers, config.num_heads, seq, seq), "attention"), Shape("output", (seq, d_model))],
)


@st.fragment
def body() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = st.segmented_control(
            "View", list(VIEWS), default="All heads", required=True, label_visibility="collapsed",
            key="full_stack_view", persist_state="session",
        )  # fmt: skip
        view = VIEWS[name if name in VIEWS else "All heads"]
        columns = slice(0)
        if view.width:
            columns = window("Dimensions", d_model, key=f"full_stack_window_{view.width}", size=view.width)
    at = focus.pick(current, *view.parts, badge=lambda at: frame.recomputed(difference(at)))
    depths = view.draw(current, at, columns)
    frame.depths(*depths[:4], depths.looked or look(current, at, of_text("output", at).cell(at.token, 0)))


def difference(at: Focus) -> float:
    """The block looked at, computed again from what enters it."""
    return recompute.block(current.shown, at.layer, at.sentence)


body()
