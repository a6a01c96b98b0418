"""Mappings and arrays that nobody can change, because encoders, runs and threads share them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

Key = TypeVar("Key")
Value = TypeVar("Value", covariant=True)
Kind = TypeVar("Kind", bound=type[Any])


class ReadOnlyMapping(Mapping[Key, Value]):
    """A copy of a mapping that cannot be changed. Its arrays are made read-only, also after pickling.

    (A `MappingProxyType` cannot be pickled.)
    """

    def __init__(self, items: Mapping[Key, Value]) -> None:
        self._items = dict(items)
        make_read_only(self._items.values())

    def __getitem__(self, key: Key) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __or__(self, others: Mapping[Any, Any]) -> dict[Any, Any]:
        """All items, with others added or in their place, as of dictionaries."""
        return {**self._items, **others}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._items,)


class ReadOnlyOverlay(Mapping[Key, Value]):
    """A mapping with some other values in the place of its own, which are looked up when they are asked for."""

    def __init__(self, items: Mapping[Key, Value], others: Mapping[Key, Value]) -> None:
        self._items, self._others = items, ReadOnlyMapping(others)

    def __getitem__(self, key: Key) -> Value:
        return self._others[key] if key in self._others else self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items  # `Mapping` would look up the value

    def __or__(self, others: Mapping[Any, Any]) -> dict[Any, Any]:
        """All items, with others added or in their place, as of dictionaries."""
        return {**self, **others}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r}, {self._others!r})"


def make_read_only(values: Iterable[object]) -> None:
    """Make the arrays among the values read-only, also those in tuples in them, such as a trace."""
    for value in values:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        elif isinstance(value, tuple):
            make_read_only(value)


def compared_by_identity(kind: Kind) -> Kind:
    """A decorator of named tuples that hold arrays: one is equal to itself only, and can be hashed.

    The comparison of tuples would ask for the truth value of an array. `jax.tree.map` compares the numbers of two.
    """
    for name in ("__eq__", "__ne__", "__hash__"):
        setattr(kind, name, getattr(object, name))
    return kind


def reduce_to_read_only(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """What `__reduce__` of a named tuple returns, so that the arrays of a copy or of a pickled one are read-only."""
    return _read_only_tuple, (type(value), tuple(value))


def _read_only_tuple(kind: Any, fields: tuple[Any, ...]) -> Any:
    make_read_only(fields)
    return kind(*fields)
