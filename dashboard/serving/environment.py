"""Settings of the server from its environment, or from the cloud's secrets."""

import logging
from collections.abc import Mapping


def read_whole_number(environment: Mapping[str, str], name: str, default: int, allowed: range | None = None) -> int:
    """The whole number in a variable; the default, with a warning in the log, if it holds none of those allowed."""
    setting = environment.get(name)
    if setting is None:
        return default
    is_short = allowed is None or len(setting) <= len(str(allowed[-1]))
    if setting.isdecimal() and is_short and (allowed is None or int(setting) in allowed):
        return int(setting)
    bounds = "" if allowed is None else f" from {allowed[0]} to {allowed[-1]}"
    text = "%s=%r is not a whole number%s; %d is used."
    logging.getLogger(__name__).warning(text, name, setting, bounds, default)
    return default
