"""The encoders that the sidebar offers. The server's environment (or the cloud's secrets) chooses the pretrained ones:

ENCODER_MODELS   names on the Hugging Face hub, or folders, separated by commas; empty: none
ENCODER_MAX_MB   the largest download in MB
"""

import logging
import os
from collections.abc import Mapping

from dashboard.serving.environment import read_whole_number
from encoder_core import RECIPES
from encoder_core.pretrained import full_name
from encoder_core.training.shipped import PLANS

RANDOM = "random"  # the encoder with random parameters and the sizes from the sidebar
CHECKPOINT = "checkpoint"  # the encoder of a training run after some steps; offered while a run is chosen
TASK_ENCODERS = tuple(PLANS)  # small encoders, trained on one task each
MINILM = "minilm"
_MINILM_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_DEFAULT_NAMES = (
    _MINILM_NAME,
    "sentence-transformers/all-MiniLM-L12-v2",
    "sentence-transformers/paraphrase-MiniLM-L3-v2",
)
_MAX_MB = 150
_BUILT_IN = {RANDOM, CHECKPOINT, *TASK_ENCODERS, *RECIPES}


def parse_offered(environment: Mapping[str, str]) -> dict[str, str]:
    """Name in the sidebar and in the URL -> name on the hub, or folder.

    An encoder whose name there is empty, or that of another encoder, is left out, with a warning in the log.
    """
    setting = environment.get("ENCODER_MODELS")
    names = _DEFAULT_NAMES if setting is None else [name.strip() for name in setting.split(",") if name.strip()]
    offered: dict[str, str] = {}
    for name in dict.fromkeys(map(full_name, names)):
        short = MINILM if name == _MINILM_NAME else name.rstrip("/").rpartition("/")[2]
        if not short or short in offered or short in _BUILT_IN:
            text = "ENCODER_MODELS: %r is left out, because the name %r is empty or that of another encoder."
            logging.getLogger(__name__).warning(text, name, short)
        else:
            offered[short] = name
    return offered


def parse_max_download_bytes(environment: Mapping[str, str]) -> int:
    """The largest download in bytes."""
    return read_whole_number(environment, "ENCODER_MAX_MB", _MAX_MB, range(0, 1_000_000)) * 1_000_000


OFFERED = parse_offered(os.environ)
MAX_BYTES = parse_max_download_bytes(os.environ)
