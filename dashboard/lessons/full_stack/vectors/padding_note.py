"""What the views of vectors say where padding changes them."""

from encoder_core import EncoderTrace


def padding_note(trace: EncoderTrace) -> str:
    """A sentence that begins with a space where the mask lets tokens attend to padding; otherwise nothing."""
    if not (trace.mask & trace.real[:, None, :, None] & ~trace.real[:, None, None, :]).any():
        return ""
    return " :orange[The mask lets tokens attend to padding, so a vector depends on the amount of padding.]"
