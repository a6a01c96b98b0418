"""The values of all parameters in one session: the single source of what the sidebar, the URL and the page show.

A value changes in exactly four ways: a link is read when the session begins; the browser's Back and Forward bring back
a URL; opening another page resets the parameters of the page before; and the user changes something, which arrives in
a callback. Widgets only show these values (see widgets.py), and the URL is written from them at the end of each run.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.markdown import sentence
from dashboard.state.parameter import MOST_QUOTED, PARAMETERS, Parameter, Value, allowed
from encoder_core.figures.base import shorten

_KEY = "session"
_MOST_UNKNOWN = 2_000  # characters of a link that mean nothing here and are carried along ("embed", "utm_source")


class Shown(NamedTuple):
    """The widget that last showed a parameter: how often it was replaced, its options, the script it is in."""

    generation: int
    options: object
    script: str | None


@dataclass
class Session:
    """The choices of one browser tab.

    link        the query string that the values were read from
    values      parameter name -> value, where it is not the default
    asked       what the link says, by name, until the user changes something or opens another page
    problems    a sentence on each value of the link that could not be used
    notes       sentences on a correction that the app made to the user's last change
    unknown     what the link says beyond the parameters; it is carried along
    steps       how many changes were a step of their own for Back
    page        the page that is shown
    script      the page whose script draws now; None while the entrypoint does
    arriving    whether this run opens it
    framed      whether the entrypoint has run
    answering   whether this run answers a change in the sidebar
    widgets     the widgets that show parameters, by parameter name
    seen        what the values were last used with, such as the tokens of the sentence; forgotten with a new link
    memo        what was computed from the values, by whoever computes it
    identity    tells this session from all others
    """

    link: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, list[str]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    steps: int = 0
    page: str | None = None
    script: str | None = None
    arriving: bool = True
    framed: bool = False
    answering: bool = False
    widgets: dict[str, Shown] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    memo: dict[str, Any] = field(default_factory=dict)
    identity: str = field(default_factory=lambda: secrets.token_hex(8))

    def get(self, parameter: Parameter[Value]) -> Value:
        """The value in use."""
        return self.values.get(parameter.name, parameter.default)

    def set(self, parameter: Parameter[Value], value: Value) -> None:
        """The user's choice; call it from a callback. What was wrong with the link no longer matters."""
        if value != self.get(parameter) and parameter.steps:
            self.steps += 1
        self.put(parameter, value)
        self._forget_link()

    def put(self, parameter: Parameter[Value], value: Value) -> None:
        """A value that follows from another change, such as the token after a new text."""
        if value == parameter.default:
            self.values.pop(parameter.name, None)
        else:
            self.values[parameter.name] = value

    def read_link(self, query: str) -> None:
        """Take all values from a query string; of a parameter that is given twice, the last value."""
        self.link, self.unknown = query, []
        self.values.clear()
        self.seen.clear()
        self._forget_link()
        for name, given in parse_qsl(query, keep_blank_values=True):
            if name in PARAMETERS:
                self.asked.setdefault(name, []).append(given)
            elif len(urlencode(self.unknown)) + len(given) < _MOST_UNKNOWN:
                self.unknown.append((name, given))
        for name, texts in self.asked.items():
            parameter = PARAMETERS[name]
            try:
                self.put(parameter, parameter.read(texts[-1]))
            except ValueError as error:
                self.refuse(parameter, str(error), self.get(parameter))
            else:
                self.refuse_repetition(parameter, self.get(parameter))

    def refuse(self, parameter: Parameter[Any], reason: str, used: Any) -> None:
        """Note that the link's value cannot be used; `reason` says what is allowed, as the end of a sentence or
        as one of its own; `used` is used in its place."""
        given = self.asked.get(parameter.name)
        if given and not self.refuse_repetition(parameter, used):
            quoted = sentence(shorten(given[-1], MOST_QUOTED))
            instead = "" if used is None else f" {sentence(parameter.write(used))} is used."
            why = (". " if reason[:1].isupper() else "; ") + reason.rstrip(".")
            self.problems[parameter.name] = f"The link asks for {parameter.name} = “{quoted}”{why}.{instead}"

    def refuse_repetition(self, parameter: Parameter[Any], used: Any) -> bool:
        """Note that the link gives a parameter several times, if it does."""
        count = len(self.asked.get(parameter.name, ()))
        if count > 1:
            text = sentence(shorten(parameter.write(used), MOST_QUOTED))
            self.problems[parameter.name] = f"The link gives {parameter.name} {count} times; {text} is used."
        return count > 1

    def correct(self, parameter: Parameter[Value], reason: str, used: Value) -> None:
        """Use another value than the link's, and note why; see `refuse`."""
        self.refuse(parameter, reason, used)
        self.put(parameter, used)

    def among(self, parameter: Parameter[Any], options: Sequence[Value], default: Value) -> Value:
        """The value in use if it is one of the options that the page has now, else `default`; a link that asked for
        something else is told what is allowed."""
        value = self.get(parameter)
        if value is None:
            return default
        if value in options:
            return value
        self.refuse(parameter, allowed(options), default)
        self.put(parameter, parameter.default)
        return default

    def query(self) -> str:
        """The query string that reproduces this session: every value that is not its default."""
        known = [(name, p.write(self.get(p))) for name, p in PARAMETERS.items() if self._is_written(p)]
        return urlencode([*known, *self.unknown])

    def _is_written(self, parameter: Parameter[Any]) -> bool:
        page, other = parameter.apart or (None, "")
        return parameter.name in self.values or (other in self.values and page == self.page)

    def open_page(self, page: str) -> None:
        """Another page begins: what belongs to the page before is dropped."""
        if self.page not in (None, page):
            for name, parameter in PARAMETERS.items():
                if parameter.scope == "page":
                    self.values.pop(name, None)
            self._forget_link()
        self.arriving = page != self.page
        self.page = page

    def _forget_link(self) -> None:
        """What the link asked for, and what was said about it, is over."""
        self.asked.clear()
        self.problems.clear()
        self.notes.clear()


def session() -> Session:
    """The session of the current run; it begins by reading the link."""
    found = st.session_state.get(_KEY)
    if found is None:
        found = Session()
        found.read_link(_query_string())
        st.session_state[_KEY] = found
    return found


def begin_run(page: str) -> Session:
    """The first thing of each run of the whole app: a new session reads its link, Back and Forward the URL that they
    brought back, and another page drops what belongs to the page before."""
    current = session()
    context = get_script_run_ctx()
    if current.page is not None and context is not None and context.is_history_navigation:
        current.read_link(context.query_string)
        current.page = page
    current.open_page(page)
    current.script = None
    return current


@contextmanager
def script_of_the_page() -> Iterator[None]:
    """What is drawn inside is drawn by the script of the page, not by the entrypoint."""
    current = session()
    outside, current.script = current.script, current.page
    try:
        yield
    finally:
        current.script = outside


def _query_string() -> str:
    context = get_script_run_ctx()
    return context.query_string if context else ""
