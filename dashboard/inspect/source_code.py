"""The code that has run, read from the source."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st


def render_source(functions: Sequence[Callable[..., Any]]) -> None:
    """Render the source of functions, one below the other."""
    st.code("\n\n".join(map(source_of, functions)), language="python", height=320)


def source_of(function: Callable[..., Any]) -> str:
    """The source of a function without the statements that only check its arguments, and a comment that says so."""
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    lines = source.split("\n")
    (definition,) = ast.parse(source).body
    checks = [statement for statement in getattr(definition, "body", []) if _is_check(statement)]
    for check in reversed(checks):
        del lines[check.lineno - 1 : check.end_lineno]
    return "\n".join(["# without the checks of its arguments", *lines] if checks else lines)


def _is_check(statement: ast.stmt) -> bool:
    """Whether the statement is `require_...(...)`, `x = require_...(...)` or `if ...: raise ...`."""
    match statement:
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) | ast.Assign(value=ast.Call(func=ast.Name(id=name))):
            return name.startswith("require_")
        case _:
            return False
