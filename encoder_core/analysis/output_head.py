"""Which models have predictions."""

from encoder_core.config import EncoderConfig, require_chained_layers, require_config


def has_predictions(config: EncoderConfig) -> bool:
    """Whether the model has an output head, and the layers of its trace are those that compute the output.

    Raises ValueError for what is no configuration.
    """
    require_config(config)
    return config.output_head and config.has_chained_layers


def require_output_head(config: EncoderConfig) -> None:
    """Raises ValueError for a model that `has_predictions` excludes."""
    require_config(config)
    if not config.output_head:
        raise ValueError("output_head=False is invalid: allowed are models with an output head.")
    require_chained_layers(config)
