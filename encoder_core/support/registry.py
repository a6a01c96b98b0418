"""Mappings by name whose error for an unknown name lists the names."""

from collections.abc import Mapping
from typing import Any

from encoder_core.support.read_only import ReadOnlyMapping, Value
from encoder_core.support.validation import short_repr


class UnknownName(ValueError, KeyError):
    """The error for a name that a registry does not have; it lists the names."""

    __str__ = Exception.__str__  # that of KeyError is the text in quotation marks


class Registry(ReadOnlyMapping[str, Value]):
    """What a user chooses by name, such as recipes. `kind` says what it is, in the singular."""

    def __init__(self, kind: str, items: Mapping[str, Value]) -> None:
        super().__init__(items)
        self._kind = kind

    def __getitem__(self, name: str) -> Value:
        if not isinstance(name, str) or name not in self._items:
            raise UnknownName(f"{self._kind} {short_repr(name)} is not one of {', '.join(map(repr, self))}.")
        return super().__getitem__(name)

    def __repr__(self) -> str:
        return f"<{self._kind}s {', '.join(map(repr, self))}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._kind, self._items)
