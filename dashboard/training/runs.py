"""The registry of this server. Its environment (or the cloud's secrets) sets the limits:

ENCODER_TRAINING_RUNS  runs that are trained at once; further ones wait. 0: no training
ENCODER_TRAINING_MB    memory of all stored runs
"""

import os
import time
from collections.abc import Mapping

from streamlit.runtime import Runtime

from dashboard.serving.environment import read_whole_number
from dashboard.training.process import TrainingProcess
from dashboard.training.registry import RunRegistry
from dashboard.training.storage import RunStorage

_MAX_ACTIVE = 2
_MAX_MB = 250


def parse_max_active(environment: Mapping[str, str]) -> int:
    """The number of runs that are trained at once."""
    return read_whole_number(environment, "ENCODER_TRAINING_RUNS", _MAX_ACTIVE, range(0, 17))


def parse_max_run_bytes(environment: Mapping[str, str]) -> int:
    """The memory of all stored runs in bytes."""
    return read_whole_number(environment, "ENCODER_TRAINING_MB", _MAX_MB, range(1, 1_000_000)) * 1_000_000


def _may_be_open(session: str) -> bool:
    """Whether a session is open; True outside a server, where nothing says that it is closed."""
    return not Runtime.exists() or Runtime.instance().is_active_session(session)


RUNS = RunRegistry(
    RunStorage(parse_max_run_bytes(os.environ), _may_be_open),
    parse_max_active(os.environ),
    TrainingProcess,
    time.monotonic,
)
