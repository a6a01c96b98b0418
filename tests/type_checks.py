"""The annotations of `encoder_core` are checked while the tests run, with jaxtyping's import hook and beartype.

Not at every call: a function is checked at its first calls in each test, and now and then after that. Checking all
1.4 million calls took half of the time of the tests of `encoder_core`. What is annotated without arrays is checked by
beartype alone: jaxtyping would check its arguments twice, and bind them for shapes that there are none of.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import partial, wraps
from random import Random
from typing import Any, Literal, get_args, get_origin

import jaxtyping
from beartype import beartype
from beartype._check.code import codemain

_FIRST_CALLS, _LATER = 20, 50  # of a function in one test: so many are checked, then each fiftieth
_calls: Counter[int] = Counter()  # in the test that runs, by the identity of the code
_nested_calls: Counter[int] = Counter()  # of functions in functions, in all tests: each definition takes 3 ms to check


def install() -> None:
    """Check `encoder_core`, which must not be imported yet. The hook decorates its functions with `jaxtyped`."""
    # Beartype checks a random item of each sequence. With the numbers of the module `random`, hypothesis would warn of
    # each strategy that makes a configuration.
    codemain.getrandbits = Random(0).getrandbits  # type: ignore[attr-defined]
    jaxtyping.jaxtyped = partial(_sampled, jaxtyping.jaxtyped)
    jaxtyping.install_import_hook("encoder_core", "beartype.beartype")


def begin_test() -> None:
    """The next call of each function is its first one again."""
    _calls.clear()


def _sampled(jaxtyped: Callable[..., Any], *, typechecker: Callable[..., Any]) -> Callable[..., Any]:
    checked = jaxtyped(typechecker=typechecker)

    def check(function: Callable[..., Any]) -> Callable[..., Any]:
        has_arrays = any(map(_has_arrays, function.__annotations__.values()))
        return checked(function) if has_arrays else beartype(function)

    def decorate(target: Any) -> Any:
        if not isinstance(target, type):
            return _now_and_then(target, check)
        if is_dataclass(target) and not any(map(_has_arrays, target.__init__.__annotations__.values())):
            target.__init__ = _each_time(target.__init__)
            return target
        return checked(target)

    return decorate


def _has_arrays(annotation: Any) -> bool:
    """Whether an annotation contains types of jaxtyping; true for text, whose names are not looked up."""
    if get_origin(annotation) is Literal:
        return False
    if isinstance(annotation, list):  # the arguments of a `Callable`
        return any(map(_has_arrays, annotation))
    is_of_jaxtyping = getattr(annotation, "__module__", "").partition(".")[0] == "jaxtyping"
    is_array = isinstance(annotation, type) and issubclass(annotation, jaxtyping.AbstractArray)
    return isinstance(annotation, str) or is_of_jaxtyping or is_array or any(map(_has_arrays, get_args(annotation)))


def _each_time(function: Callable[..., Any]) -> Callable[..., Any]:
    checked = beartype(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (function if jaxtyping.config.jaxtyping_disable else checked)(*args, **kwargs)

    return call


def _now_and_then(function: Callable[..., Any], checked: Callable[..., Any]) -> Callable[..., Any]:
    code = id(function.__code__)  # one for a nested function, which is defined anew at each call of the outer one
    calls = _nested_calls if "<locals>" in function.__qualname__ else _calls
    made = []

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if jaxtyping.config.jaxtyping_disable:
            return function(*args, **kwargs)
        calls[code] += 1
        if calls[code] > _FIRST_CALLS and calls[code] % _LATER:
            return function(*args, **kwargs)
        if not made:
            made.append(checked(function))
        return made[0](*args, **kwargs)

    return call
