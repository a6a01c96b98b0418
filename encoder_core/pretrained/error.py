"""What is raised where a trained model cannot be had."""


class PretrainedError(ValueError):
    """A trained model cannot be found, downloaded or read; the message is a sentence for the user."""
