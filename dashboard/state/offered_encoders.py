"""The trained encoders that the sidebar offers. The server's environment (or the cloud's secrets) can change them:

ENCODER_MODELS   names on the Hugging Face hub, or folders, separated by commas; empty: none
ENCODER_MAX_MB   the largest download in MB
"""

import os
from collections.abc import Mapping

from dashboard.environment import read_whole_number

MINILM = "minilm"
_MINILM_NAME = "sentence-transformers/all-MiniLM-L6-v2"
_DEFAULT_NAMES = (
    _MINILM_NAME,
    "sentence-transformers/all-MiniLM-L12-v2",
    "sentence-transformers/paraphrase-MiniLM-L3-v2",
)
_MAX_MB = 150


def parse_offered(environment: Mapping[str, str]) -> dict[str, str]:
    """Name in the sidebar and in the URL -> name on the hub, or folder."""
    setting = environment.get("ENCODER_MODELS")
    names = _DEFAULT_NAMES if setting is None else [name.strip() for name in setting.split(",") if name.strip()]
    return {MINILM if name == _MINILM_NAME else name.rstrip("/").rpartition("/")[2]: name for name in names}


def parse_max_bytes(environment: Mapping[str, str]) -> int:
    """The largest download in bytes."""
    return read_whole_number(environment, "ENCODER_MAX_MB", _MAX_MB) * 1_000_000


OFFERED = parse_offered(os.environ)
MAX_BYTES = parse_max_bytes(os.environ)
