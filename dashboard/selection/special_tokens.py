"""The special tokens of a tokenizer, [CLS] and [SEP]: what they are, and a switch that hides them in some views."""

from collections.abc import Sequence

import streamlit as st

from dashboard.state.choices import HIDE_SPECIAL
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.analysis.language.token_kinds import CLS, SEP, SPECIAL
from encoder_core.figures import Window

# In markdown with the marks of dashboard/glossary.py.
EXPLANATION = (
    f"[[{CLS}]] and [[{SEP}]] stand for no word: the tokenizer puts them at the beginning and the end of every text, "
    "as in the texts that this encoder was trained on. They have rows, vectors and weights like all tokens."
)


def has_special_tokens(labels: Sequence[str]) -> bool:
    """Whether the tokenizer has added [CLS] or [SEP]."""
    return CLS in labels or SEP in labels


def shown_tokens(labels: tuple[str, ...], query: int) -> Window:
    """The tokens that the views show: all, or those between the special tokens at both ends if the switch hides them.

    A query that is a special token itself is shown, and all others with it.
    """
    words = [place for place, token in enumerate(labels) if token not in SPECIAL]
    hides = session().get(HIDE_SPECIAL) and has_special_tokens(labels) and words and labels[query] not in SPECIAL
    return Window(words[0], words[-1] + 1, labels=labels) if hides else Window(0, len(labels), labels=labels)


def render_special_switch(labels: Sequence[str]) -> None:
    """Render the switch, if there is a special token."""
    if has_special_tokens(labels):
        st.toggle("Hide [CLS] and [SEP]", **bind_widget(HIDE_SPECIAL),
                  help="They are hidden as keys; their weights stay as they are. If one of them is the query, "
                  "all tokens are shown.")  # fmt: skip
