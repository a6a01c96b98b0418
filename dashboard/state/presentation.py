"""Whether the page is shown in presentation mode: for a projector, without sidebar and navigation."""

from dashboard.state.choices import PRESENT
from dashboard.state.session import session


def is_presenting() -> bool:
    """Whether the presentation mode is on."""
    return session().get(PRESENT) == "on"


def start_presenting() -> None:
    """Turn the presentation mode on; call it from a callback."""
    session().set(PRESENT, "on")


def stop_presenting() -> None:
    """Turn the presentation mode off; call it from a callback."""
    session().set(PRESENT, "off")
