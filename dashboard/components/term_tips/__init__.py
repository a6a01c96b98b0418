"""The definition of a term in a small box: for the mouse, a tap, and the keyboard's focus.

The terms are the links that dashboard/glossary.py makes. The component itself shows nothing.
"""

from pathlib import Path

from dashboard.components.static_files import register_component
from dashboard.glossary import definitions

_COMPONENT = register_component("term_tips", Path(__file__).parent)
_DEFINITIONS = definitions()


def render_term_tips() -> None:
    """Explain all marked terms of the page. Of all components it comes first: see shared/first_component.js."""
    _COMPONENT(data=_DEFINITIONS, key="term_tips")
