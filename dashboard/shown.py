"""What the badge of a page is computed from: the trace of the model in use, with what it was made with."""

from dashboard.model import Model
from encoder_core.shown import Shown


def shown_of(current: Model) -> Shown:
    """The trace with the configuration and the parameters of its encoder."""
    return Shown(current.trace, current.config, current.encoder.parameters())
