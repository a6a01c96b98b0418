"""Cells of notebooks, and Python literals in them."""

import re
from collections.abc import Mapping
from pprint import pformat
from textwrap import dedent
from typing import Any

import nbformat

NotebookCell = nbformat.NotebookNode
WIDTH = 100  # characters of a line of code


def markdown(text: str) -> NotebookCell:
    """A cell of text. It is markdown: what a user typed must be `escaped`."""
    return nbformat.v4.new_markdown_cell(dedent(text).strip())


def escaped(text: str) -> str:
    """A text that markdown shows as it is, on one line: signs that it could interpret are HTML entities."""
    return re.sub(r"[^\w ,()/-]|_", lambda sign: f"&#{ord(sign[0])};", " ".join(text.split()))


def code(*parts: str | list[str], hidden: bool = False) -> NotebookCell:
    """A cell of code: each part is a text, which is dedented, or a list of lines. "" is an empty line.

    hidden  Jupyter and Colab fold the code
    """
    texts = [dedent(part).strip("\n") if isinstance(part, str) else "\n".join(part) for part in parts if part != []]
    source = "\n".join(texts)
    if not hidden:
        return nbformat.v4.new_code_cell(source)
    return nbformat.v4.new_code_cell(source, metadata={"cellView": "form", "jupyter": {"source_hidden": True}})


def literal(name: str, value: Any) -> str:
    """An assignment of nested lists, dictionaries, strings and numbers, wrapped to `WIDTH`."""
    text = f"{name} = {value!r}"
    if len(text) <= WIDTH and "\n" not in text:
        return text
    opening, closing = "{}" if isinstance(value, dict) else "[]" if isinstance(value, list) else "()"
    body = pformat(value, width=WIDTH - 4, compact=True, sort_dicts=False)
    if isinstance(value, list | dict | tuple):
        body = body[1:-1]
    lines = [line.removeprefix(" ") if number else line for number, line in enumerate(body.splitlines())]
    return "\n".join([f"{name} = {opening}", *(f"    {line}" for line in lines), closing])


def lines_of(values: Mapping[Any, Any], form: str) -> list[str]:
    """One line of code for each entry; `form` has the fields {key} and {value}."""
    return [form.format(key=", ".join(map(str, key)), value=value) for key, value in values.items()]
