"""The view of what heads look at, whatever the words: the token before, the token after, punctuation, ..."""

import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.full_stack.view import Depths, head_name, which_head
from dashboard.markdown import plain
from dashboard.models.head_roles import roles_of
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.weights_scale import weights_limit
from dashboard.state.choices import ROLE
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core import HeadRoles, WordTokenizer, head_roles
from encoder_core.analysis.language import role_keys
from encoder_core.figures import Selection, dimensions, format_number
from encoder_core.scenes import language as scenes

_SPOKEN = {
    "previous": "the token before",
    "next": "the token after",
    "itself": "the token itself",
    "punctuation": "all punctuation",
}


def pick_role(current: Model) -> str:
    """One of the roles that occur in what was read."""
    roles = roles_of(current).roles
    role = session().among(ROLE, roles, roles[0])
    st.selectbox("Role", roles, filter_mode=None, width=150, **shows(ROLE, role, roles, begins=roles))
    return role


def what_heads_look_at(current: Model, at: Focus, role: str) -> Depths:
    """The mean weight of every head in a role, and the strongest head of each role."""
    found = roles_of(current)
    weights, uniform = found.weights[found.roles.index(role)], found.uniform[found.roles.index(role)]

    def clicked(selection: Selection) -> None:
        """A bar selects a role as well."""
        if "role" in selection:
            session().set(ROLE, found.roles[selection["role"]])
        focus.follow(selection)

    area = st.container()
    spoken = _SPOKEN.get(role, role)
    parts = scenes.head_roles(found, role, at, spoken=spoken, limit=weights_limit(weights), theme=current_theme())
    with area:
        plot(parts, key="full_stack_roles_plot", on_click=clicked)
        st.caption(_measured(current, found, role))
    rows = [f"layer {name}" for name in dimensions(len(weights), 1)]
    heads = [f"head {name}" for name in dimensions(weights.shape[1], 1)]
    return Depths(
        {name: Table(found.weights[index], rows, heads) for index, name in enumerate(found.roles)},
        r"\frac{1}{|Q|} \sum_{q \in Q} \sum_{k \in R(q)} A^{(l,h)}_{qk}"
        rf", \qquad |Q| = {int(found.queries[found.roles.index(role)])}",
        [role_keys, head_roles],
        which_head(
            f"which of these heads gives {_SPOKEN.get(role) or plain(role)} the largest mean weight?",
            weights,
            f"Its mean weight is {{}}; uniform attention would give {format_number(uniform, 2)}.",
        ),
    )


def _measured(current: Model, found: HeadRoles, role: str) -> str:
    """What was read, and the strongest head of each role."""
    own = current.settings.recipe is not None
    read = f"{found.sentences} sentences " + (
        "of the recipe's own batch" if own else "written for this page, not the text"
    )
    queries = found.queries[found.roles.index(role)]
    strongest = "; ".join(
        f"{plain(name)}: {head_name(*found.strongest(name))}, {found.weights[index].max():.2f} (uniform "
        f"{found.uniform[index]:.2f})"
        for index, name in enumerate(found.roles)
    )
    rows = " Each of their words has a random row." if isinstance(current.encoder.tokenizer, WordTokenizer) else ""
    edits = " What-ifs are left out." if current.edits else ""
    return (
        f"Read: {read}. Of their {found.tokens} tokens, the mean is over the {queries} that have such a token to look "
        f"at.{rows}{edits} The strongest heads: {strongest}."
    )
