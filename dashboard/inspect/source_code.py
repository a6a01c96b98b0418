"""The code that has run, read from the source."""

import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st


def render_source(functions: Sequence[Callable[..., Any]]) -> None:
    """Render the source of functions, one below the other."""
    source = "\n\n".join(textwrap.dedent(inspect.getsource(function)).rstrip() for function in functions)
    st.code(source, language="python", height=320)
