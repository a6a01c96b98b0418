"""What the views of vectors say where padding changes them."""

from encoder_core import EncoderTrace
from encoder_core.analysis import attends_to_padding


def padding_note(trace: EncoderTrace) -> str:
    """A sentence that begins with a space where the mask lets tokens attend to padding; otherwise nothing."""
    if not attends_to_padding(trace):
        return ""
    return " :orange[The mask lets tokens attend to padding, so a vector depends on the amount of padding.]"
