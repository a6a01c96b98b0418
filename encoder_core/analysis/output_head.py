"""Which models have predictions."""

from encoder_core.config import EncoderConfig


def has_predictions(config: EncoderConfig) -> bool:
    """Whether the model has an output head, and the layers of its trace are those that compute the output."""
    return config.output_head and _is_read_from_layers(config)


def require_output_head(config: EncoderConfig) -> None:
    """Raises ValueError for a model that `has_predictions` excludes."""
    if not config.output_head:
        raise ValueError("output_head=False is invalid: allowed are models with an output head.")
    if not _is_read_from_layers(config):
        raise ValueError(f"attention_read_out={config.attention_read_out!r} is invalid: allowed is 'stack'.")


def _is_read_from_layers(config: EncoderConfig) -> bool:
    """Whether each layer of a trace reads the output of the layer before it."""
    return config.attention_read_out == "stack" or config.num_layers == 1
