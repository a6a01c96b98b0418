"""The annotations of `encoder_core` are checked while the tests run, with jaxtyping's import hook and beartype.

Not at every call: a function is checked at its first calls in each test, and now and then after that. Checking all
1.4 million calls took half of the time of the tests of `encoder_core`.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial, wraps
from random import Random
from typing import Any

import jaxtyping
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

    def decorate(target: Any) -> Any:
        return checked(target) if isinstance(target, type) else _now_and_then(target, checked)

    return decorate


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
