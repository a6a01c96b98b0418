"""Roles of heads: attention to the previous token, the next token, punctuation, ..."""

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.attention.attention_questions import importance_question
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.head_roles import model_head_roles
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.state.choices import ROLE
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core import HeadRoles, WordTokenizer, head_roles
from encoder_core.analysis.language import role_keys
from encoder_core.figures import Selection
from encoder_core.scenes import language as scenes
from encoder_core.support.number_format import latex_with_shape
from encoder_core.support.wording import format_count, head_name, numbered

_ROLE_LABELS = {
    "previous": "the previous token",
    "next": "the next token",
    "itself": "the token itself",
    "punctuation": "punctuation",
}


def render_role_picker(current: Model) -> str | None:
    """Render the picker of a role that occurs in the sentences and return it; None if none occurs."""
    measured = model_head_roles(current)
    if measured is None:
        return None
    roles = measured.roles
    role = session().get_option(ROLE, roles, roles[0])
    st.selectbox("Role", roles, filter_mode=None, width=150, **bind_widget(ROLE, role, roles, index_of=roles))
    return role


def render_head_roles(current: Model, at: Focus, role: str | None) -> Depths | None:
    """The mean weight of every head for a role, and the strongest head of each role."""
    measured = model_head_roles(current)
    if measured is None or role is None:
        st.caption("The mask hides the keys of every role, so no head can attend to one.")
        return None
    index = measured.roles.index(role)
    weights, uniform, queries = measured.weights[index], measured.uniform[index], int(measured.queries[index])

    of_head = float(weights[at.layer, at.head])
    question = importance_question(current, at, _ROLE_LABELS.get(role) or escape_token(role), of_head, float(uniform))
    ask_first(question, "What heads look at")

    def select(selection: Selection) -> None:
        """Select the head, and the role of a bar."""
        if "role" in selection:
            session().set(ROLE, measured.roles[selection["role"]])
        focus.move_focus(selection)

    label = _ROLE_LABELS.get(role, role)
    parts = scenes.head_roles(
        measured, role, at, description=label, limit=weights_limit(weights), theme=current_theme()
    )
    render_plot(parts, key="full_stack_roles_plot", on_click=select)
    st.caption(_describe_roles(current, measured, queries))
    render_weights_toggle()
    rows = numbered("layer", len(weights))
    heads = numbered("head", weights.shape[1])
    return Depths(
        {name: NumberTable(measured.weights[i], rows, heads, first=None) for i, name in enumerate(measured.roles)},
        rf"\begin{{aligned}} {latex_with_shape('w^{(l,h)}', weights.shape)} &= "
        r"\frac{1}{|Q|} \sum_{q \in Q} \sum_{k \in R(q)} A^{(l,h)}_{qk} \\ "
        rf"|Q| &= {queries} \end{{aligned}}",
        [role_keys, head_roles],
        question,
    )


def _describe_roles(current: Model, measured: HeadRoles, queries: int) -> str:
    """Caption: the sentences of the measurement, and the strongest head of each role."""
    has_batch = current.settings.recipe is not None
    chosen = "whose words this encoder knows" if current.settings.task else "written for this page"
    source = "in the recipe's own batch" if has_batch else f"{chosen}, not the text in the sidebar"
    measured_on = (
        f"{format_count(measured.sentences, 'sentence')} {source}"
        if current.settings.reads_sentences
        else f"{measured.sentences} random inputs of the task, not the text in the sidebar"
    )
    strongest = "; ".join(
        f"{escape_token(name)}: {head_name(*measured.strongest(name))}, {measured.weights[index].max():.2f} (uniform "
        f"{measured.uniform[index]:.2f})"
        for index, name in enumerate(measured.roles)
    )
    rows = " Their words have random embeddings." if isinstance(current.encoder.tokenizer, WordTokenizer) else ""
    edits = " Edits are not applied." if current.edits else ""
    if current.settings.mask == "custom":
        edits += " The custom mask is not applied: it belongs to your text."
    return (
        f"Measured on {measured_on}: the mean over the "
        f"{queries} of {format_count(measured.tokens, 'token')} that can attend to a token of the role.{rows}{edits} "
        f"Strongest heads: {strongest}."
    )
