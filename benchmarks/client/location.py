"""The address bar and its history, and the two ways in which the frontend writes query strings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

# Parsed by the library query-string: None stands for a parameter without "=".
Parameters = dict[str, str | list[str | None] | None]


def parse_query(query: str) -> Parameters:
    """The parameters, as the library query-string with `arrayFormat: "none"` parses them."""
    parameters: Parameters = {}
    for part in query.strip().removeprefix("?").split("&"):
        if not part:
            continue
        name, equals, text = part.replace("+", " ").partition("=")
        key, value = unquote(name), unquote(text) if equals else None
        present = parameters.get(key)
        if key not in parameters:
            parameters[key] = value
        else:
            parameters[key] = [*present, value] if isinstance(present, list) else [present, value]
    return parameters


def stringify_query(parameters: Mapping[str, str | Sequence[str | None] | None]) -> str:
    """The query string by the same library, sorted, without parameters that are None, with "+" for spaces."""
    parts: list[str] = []
    for key in sorted(parameters, key=lambda key: key.encode("utf-16-be")):
        value = parameters[key]
        texts = [value] if isinstance(value, str) or value is None else value
        parts += [f"{quote(key, safe='')}={quote(text, safe='')}" for text in texts if text is not None]
    return "&".join(parts).replace("%20", "+")


def search_params(query: str) -> str:
    """The same query as `new URLSearchParams(query).toString()` writes it, in its order."""
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    return "&".join(f"{_form_encoded(key)}={_form_encoded(value)}" for key, value in pairs)


def _form_encoded(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def percent_encode_query(query: str) -> str:
    """What a browser makes of a query string when it becomes part of a URL; what is encoded already stays as it is."""
    return "".join(character if _allowed(character) else quote(character, safe="") for character in query)


def _allowed(character: str) -> bool:
    return "!" <= character <= "~" and character not in "\"#<>'"


@dataclass(frozen=True)
class Entry:
    """One entry of the history. Going to an entry of another document loads the page anew."""

    path: str  # with a slash at the beginning
    search: str  # "" or with "?" at the beginning
    document: int

    @property
    def url(self) -> str:
        """Path and query as the address bar shows them."""
        return self.path + self.search


class Location:
    """`window.location` and `window.history`; URLs are relative to the server and have no fragment."""

    def __init__(self, url: str) -> None:
        self.entries = [_entry(url, 0)]
        self.index = 0

    @property
    def entry(self) -> Entry:
        """The entry that is shown."""
        return self.entries[self.index]

    @property
    def path(self) -> str:
        """`location.pathname`."""
        return self.entry.path

    @property
    def search(self) -> str:
        """`location.search`: empty, or with the question mark."""
        return self.entry.search

    @property
    def query(self) -> str:
        """`location.search` without the question mark."""
        return self.search.removeprefix("?")

    def push(self, url: str) -> None:
        """`history.pushState`: a new entry; those after the present one are gone."""
        self.entries[self.index + 1 :] = [_entry(url, self.entry.document)]
        self.index += 1

    def replace(self, url: str) -> None:
        """`history.replaceState`."""
        self.entries[self.index] = _entry(url, self.entry.document)

    def open(self, url: str) -> None:
        """Type an address: a new entry and a new document."""
        document = 1 + max(entry.document for entry in self.entries)
        self.entries[self.index + 1 :] = [_entry(url, document)]
        self.index += 1

    def go(self, steps: int) -> bool:
        """Back (negative) or forward. Returns False when another document must be loaded; raises IndexError."""
        index = self.index + steps
        if not 0 <= index < len(self.entries):
            raise IndexError(f"the history has no entry {steps:+d} from here")
        same_document = self.entries[index].document == self.entry.document
        self.index = index
        return same_document


def _entry(url: str, document: int) -> Entry:
    parts = urlsplit(url)
    search = f"?{percent_encode_query(parts.query)}" if parts.query else ""
    return Entry("/" + parts.path.lstrip("/"), search, document)
