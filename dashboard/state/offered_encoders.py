"""Which trained encoders the sidebar offers. The server's environment (or the cloud's secrets) may say otherwise:

ENCODER_MODELS   names on the Hugging Face hub, or folders, with commas between them; empty: none
ENCODER_MAX_MB   a download larger than this is refused
"""

import logging
import os
from collections.abc import Mapping

MINILM = "minilm"
_MINILM_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_SMALL_ONES = (
    _MINILM_NAME,
    "sentence-transformers/all-MiniLM-L12-v2",
    "sentence-transformers/paraphrase-MiniLM-L3-v2",
)
_MAX_MB = 150


def offered(environment: Mapping[str, str]) -> dict[str, str]:
    """Name in the sidebar and the URL -> name on the hub, or folder."""
    said = environment.get("ENCODER_MODELS")
    names = _SMALL_ONES if said is None else [name.strip() for name in said.split(",") if name.strip()]
    return {MINILM if name == _MINILM_NAME else name.rstrip("/").rpartition("/")[2]: name for name in names}


def most_bytes(environment: Mapping[str, str]) -> int:
    """The largest download."""
    said = environment.get("ENCODER_MAX_MB", str(_MAX_MB))
    if not said.isdecimal():
        logging.getLogger(__name__).warning("ENCODER_MAX_MB=%r is no whole number; %d is used.", said, _MAX_MB)
    return int(said if said.isdecimal() else _MAX_MB) * 1_000_000


OFFERED = offered(os.environ)
MAX_BYTES = most_bytes(os.environ)
