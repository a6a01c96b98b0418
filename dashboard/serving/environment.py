"""Settings of the server from its environment, or from the cloud's secrets."""

import logging
from collections.abc import Mapping


def read_whole_number(environment: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    """The whole number in a variable; the default, with a warning in the log, if it holds none of those allowed."""
    setting = environment.get(name)
    if setting is None:
        return default
    is_short = len(setting) <= len(str(allowed[-1]))  # Python refuses to read thousands of digits
    if setting.isdecimal() and is_short and int(setting) in allowed:
        return int(setting)
    text = "%s=%r is not a whole number from %d to %d; %d is used."
    logging.getLogger(__name__).warning(text, name, setting, allowed[0], allowed[-1], default)
    return default
