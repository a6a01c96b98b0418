"""The values of all parameters in one session: the single source for the sidebar, the URL and the page.

Some changes come before the page is rendered: a callback sets what the user chose in a widget or a plot; the session
reads a link when it begins, and the URL after Back and Forward; a page change resets the parameters of scope "page".
Others come while it is rendered: a value follows from another one (`set_derived`: the token after a new text), or the
model does not have it (`correct`, `get_option`). Widgets show the values (see widgets.py); every run writes the URL.
"""

import secrets
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.markdown import escape_message
from dashboard.state.parameter import MAX_QUOTED, PARAMETERS, Parameter, Value, describe_allowed
from dashboard.state.script_names import ScriptNames, use_names
from encoder_core.support.wording import shorten

_KEY = "session"
_of_this_thread = threading.local()  # the context of the latest run in this thread, and its session
_MAX_QUERY = 190_000  # characters of a query string; dashboard/serving/limits/gate.py allows 200 kB a message
_MAX_COMPARED = 5  # unknown parameters that may be misspelt
_ALIKE = 0.8  # share of equal letters of two names, one of which may be a misspelling of the other
_MAX_UNKNOWN = 2_000  # characters of unknown parameters in a link ("embed", "utm_source") that the URL keeps


class BoundWidget(NamedTuple):
    """The current widget of a parameter: how often it was replaced, its options, and the script that renders it."""

    generation: int
    options: object
    script: str | None


@dataclass
class Session:
    """The choices of one browser tab.

    link                the query string that the values were read from
    values              parameter name -> value, if it is not the default
    version             number of changes of the values so far
    link_values         parameter name -> texts in the link, until the user changes something or opens another page
    problems            a sentence for each value of the link that cannot be used
    notes               a sentence for each correction of the user's last change
    unknown_parameters  parameters of the link that the app does not have; the URL keeps them
    history_steps       number of changes that are separate entries for the browser's Back button
    page                name of the current page
    shared_view         page and query string of the link that opened the tab; None if it had no parameters
    script              name of the page whose script renders now; None while the entrypoint renders
    script_names        the names of the latest run of a page's script
    entrypoint_ran      whether the entrypoint has run in this session
    on_screen           name of the page of the last run; None in the first run of a page, and until one has ended
    widgets             parameter name -> its current widget
    last_used           what the values were last used with, such as the tokens of the sentence; cleared by a new link
    memo                results computed from the values, by any module
    id                  distinguishes this session from all others
    link_lock           held while a link is read
    """

    link: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    link_values: dict[str, list[str]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    unknown_parameters: list[tuple[str, str]] = field(default_factory=list)
    history_steps: int = 0
    page: str | None = None
    shared_view: tuple[str, str] | None = None
    script: str | None = None
    script_names: ScriptNames | None = None
    entrypoint_ran: bool = False
    on_screen: str | None = None
    widgets: dict[str, BoundWidget] = field(default_factory=dict)
    last_used: dict[str, Any] = field(default_factory=dict)
    memo: dict[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    link_lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def get(self, parameter: Parameter[Value]) -> Value:
        """The current value."""
        return self.values.get(parameter.name, parameter.default)

    def set(self, parameter: Parameter[Value], value: Value) -> None:
        """Set a value that the user chose, and clear the messages about the link. Call it from a callback."""
        if value != self.get(parameter) and parameter.adds_history_entry:
            self.history_steps += 1
        self.set_derived(parameter, value)
        self._forget_link()

    def set_derived(self, parameter: Parameter[Value], value: Value) -> None:
        """Set a value that follows from another change, such as the token after a new text."""
        self.version += 1
        if value == parameter.default:
            self.values.pop(parameter.name, None)
        else:
            self.values[parameter.name] = value

    def read_link(self, query: str) -> None:
        """Replace all values by those of a query string; of a repeated parameter, the last value counts.

        A run that a newer one has replaced goes on until it renders something, so two may read a link at once.
        """
        with self.link_lock:
            self._read_link(query)

    def _read_link(self, query: str) -> None:
        too_long, self.unknown_parameters = len(query) > _MAX_QUERY, []
        self.link = query = "" if too_long else query
        self.version += 1
        self.values.clear()
        self.last_used.clear()
        self._forget_link()
        if too_long:
            self.problems["link"] = f"The link is longer than {_MAX_QUERY:,} characters; it is not used."
        left, link_values = _MAX_UNKNOWN, self.link_values
        for name, text in parse_qsl(query, keep_blank_values=True):
            if name in PARAMETERS:
                link_values.setdefault(name, []).append(text)
            elif left > 0 and (length := len(urlencode([(name, text)])) + len("&")) <= left:
                self.unknown_parameters.append((name, text))
                left -= length
        self._report_misspellings()
        for name, texts in link_values.items():
            parameter = PARAMETERS[name]
            try:
                self.set_derived(parameter, parameter.parse(texts[-1]))
            except ValueError as error:
                self.report_invalid(parameter, str(error), self.get(parameter))
            else:
                self.report_repetition(parameter, self.get(parameter))

    def _report_misspellings(self) -> None:
        """Add a message for each of the first unknown parameters whose name is nearly that of a parameter."""
        for name, _ in self.unknown_parameters[:_MAX_COMPARED]:
            meant = get_close_matches(name.lower(), PARAMETERS, 1, _ALIKE)
            if meant:
                self.problems[name] = (
                    f"The link has “{escape_message(name)}”, which this app does not know; “{meant[0]}” may be meant."
                )

    def report_invalid(self, parameter: Parameter[Any], reason: str, used: Any) -> None:
        """Add a message that the link's value cannot be used, if there is one.

        `reason` says what is allowed: the end of the sentence, or a sentence. `used` is the value used instead; None
        stands for the page's choice.
        """
        texts = self.link_values.get(parameter.name)
        if texts and not self.report_repetition(parameter, used):
            quoted = escape_message(shorten(texts[-1], MAX_QUOTED))
            text = "" if used is None else escape_message(parameter.format(used))
            instead = f" {text} is used." if text else ""
            why = (". " if reason[:1].isupper() else "; ") + reason.rstrip(".")
            self.problems[parameter.name] = f"The link has {parameter.name} = “{quoted}”{why}.{instead}"

    def rejected_text(self, parameter: Parameter[Any]) -> str | None:
        """The text in the link, if it is no value of the parameter."""
        for text in self.link_values.get(parameter.name, ())[-1:]:
            try:
                parameter.parse(text)
            except ValueError:
                return text
        return None

    def report_repetition(self, parameter: Parameter[Any], used: Any) -> bool:
        """Add a message if the link has a parameter several times. Returns whether it does."""
        count = len(self.link_values.get(parameter.name, ()))
        if count > 1:
            text = "the default" if used is None else escape_message(shorten(parameter.format(used), MAX_QUOTED))
            which = f"{text} is used" if text.strip() else "the last one counts"  # a text can be empty
            self.problems[parameter.name] = f"The link has {parameter.name} {count} times; {which}."
        return count > 1

    def correct(self, parameter: Parameter[Value], reason: str, used: Value) -> None:
        """Use another value instead of the link's, and report why; see `report_invalid`."""
        self.report_invalid(parameter, reason, used)
        self.set_derived(parameter, used)

    def get_option(self, parameter: Parameter[Any], options: Sequence[Value], default: Value) -> Value:
        """The current value if it is one of `options`, which can depend on the model; else `default`.

        A value of the link that is not an option is reported.
        """
        value = self.get(parameter)
        if value is None:
            return default
        if value in options:
            return value
        self.report_invalid(parameter, describe_allowed(options), default)
        self.set_derived(parameter, parameter.default)
        return default

    def query(self, omitted: Collection[Parameter[Any]] = ()) -> str:
        """The query string that reproduces this session: all values but defaults and the omitted."""
        written = [p for p in PARAMETERS.values() if p not in omitted and self._is_written(p)]
        known = [(p.name, p.format(self.get(p))) for p in written]
        return urlencode([*known, *self.unknown_parameters])

    def query_with(self, changes: Sequence[tuple[Parameter[Any], Any]]) -> str:
        """The query string of this session after these changes: (parameter, value)."""
        other = Session(values=dict(self.values), unknown_parameters=self.unknown_parameters, page=self.page)
        for parameter, value in changes:
            other.set_derived(parameter, value)
        return other.query()

    def _is_written(self, parameter: Parameter[Any]) -> bool:
        page, other = parameter.explicit_with or (None, "")
        return parameter.name in self.values or (other in self.values and page == self.page)

    def open_page(self, page: str) -> None:
        """Reset the parameters of scope "page" if the page changes."""
        if self.page not in (None, page):
            self.version += 1
            for name, parameter in PARAMETERS.items():
                if parameter.scope == "page":
                    self.values.pop(name, None)
            self._forget_link()
        self.page = page

    def use_script(self, names: ScriptNames) -> None:
        """Forget the names of the script before this one, which runs in this thread."""
        use_names(names)
        earlier, self.script_names = self.script_names, names
        if earlier:
            earlier.forget()

    def _forget_link(self) -> None:
        """Forget the texts of the link and the messages about them."""
        # New ones, because a replaced run may still look through the others.
        self.link_values, self.problems, self.notes = {}, {}, {}


def session() -> Session:
    """The session of the current run; a new one reads its link."""
    # A run asks about 200 times. Asking Streamlit's session state each time takes 5% of a run.
    context = get_script_run_ctx()
    if context is None or getattr(_of_this_thread, "context", None) is not context:
        _of_this_thread.session = _find_session()
        _of_this_thread.context = context
    return _of_this_thread.session


def streamlit_session_id() -> str:
    """Streamlit's id of the browser tab; "" outside of a run of the app."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _find_session() -> Session:
    current = st.session_state.get(_KEY)
    if current is None:
        current = st.session_state[_KEY] = Session()
        current.read_link(_query_string())
    return current


def begin_run(page: str) -> Session:
    """Update the session at the start of each run of the entrypoint: read the URL after Back or Forward, and open the
    page."""
    current = session()
    context = get_script_run_ctx()
    if current.page is not None and context is not None and context.is_history_navigation:
        current.read_link(context.query_string)
        current.page = page
    if current.page is None and current.link:
        current.shared_view = (page, current.link)
    current.open_page(page)
    if current.on_screen != page:
        current.on_screen = None
    current.script = None
    return current


@contextmanager
def page_script() -> Iterator[None]:
    """Context in which widgets belong to the script of the page instead of the entrypoint."""
    current = session()
    outside, current.script = current.script, current.page
    try:
        yield
    finally:
        current.script = outside


def _query_string() -> str:
    context = get_script_run_ctx()
    return context.query_string if context else ""
