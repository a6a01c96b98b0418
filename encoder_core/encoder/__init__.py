"""The class `Encoder`, its sizes and parameters, and the compilation of its programs ahead of use."""

from encoder_core.encoder.encoder import Encoder, require_encoder

__all__ = ["Encoder", "require_encoder"]
