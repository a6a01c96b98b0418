"""The code that has run, read from the source."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
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
    checks = list(_checks(getattr(definition, "body", [])))
    for check in reversed(checks):
        del lines[check.lineno - 1 : check.end_lineno]
    return "\n".join(["# without the checks of its arguments", *lines] if checks else lines)


def _checks(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The checks among the statements and inside their blocks, in the order of the lines."""
    for statement in statements:
        if _is_check(statement) or _raises(statement):
            yield statement
        elif isinstance(statement, ast.If | ast.For) and not all(map(_is_check, statement.body)):
            yield from (check for check in _checks(statement.body) if _is_check(check))


def _is_check(statement: ast.stmt) -> bool:
    """Whether the statement is `require_...(...)`, `x = require_...(...)`, also several of them separated by commas, or
    a block of nothing else."""
    match statement:
        case ast.If(body=body, orelse=[]) | ast.For(body=body, orelse=[]):
            return all(map(_is_check, body))
        case ast.Assign(value=ast.Tuple(elts=values)):
            return all(map(_requires, values))
        case ast.Expr(value=value) | ast.Assign(value=value):
            return _requires(value)
        case _:
            return False


def _raises(statement: ast.stmt) -> bool:
    """Whether the statement is `if ...: raise ...`."""
    match statement:
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case _:
            return False


def _requires(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name.startswith("require_")
        case _:
            return False
