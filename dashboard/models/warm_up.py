"""Compile the programs and draw the parameters of seed 0 in the background, when the server starts."""

import gc
import threading
import time

from dashboard.models.loading import encoder_loader
from dashboard.models.threads import compute_in_one_thread
from dashboard.serving.background import end_with_server, start_thread
from dashboard.serving.limits.fair_share import wait_until_nobody_computes
from dashboard.state.offered_encoders import MINILM, OFFERED
from encoder_core import warm_up
from encoder_core.engine.memory import release_compiler_memory
from encoder_core.pretrained import on_this_machine
from encoder_core.support.once import once

_BEGIN = 0.1  # seconds until the run that has started the warm-up computes
_FIRST_PAGE = 5.0  # seconds that the warm-up waits at most for the page of the visit that has started it
_GC_THRESHOLDS = 1_000, 20, 25  # a seventh as many collections of all objects as with 700, 10, 10


@once
def start() -> threading.Thread:
    """Start the warm-up in a background thread. Later calls in the same process return the same thread.

    From now on XLA and NumPy compute in one thread.
    """
    compute_in_one_thread()
    return start_thread(_warm, "warm-up")


def _warm() -> None:
    minilm = OFFERED.get(MINILM)
    is_local = minilm is not None and on_this_machine(minilm)  # it is downloaded only when somebody chooses it
    _let_first_visitor_begin()
    if minilm and is_local:
        encoder_loader(minilm).start()  # before the others, because the start page needs it
    warm_up(progress=end_with_server)
    if minilm and is_local:
        encoder_loader(minilm).finish()
    # The objects loaded so far stay in memory: exclude them from garbage collection (60 ms per collection). A run of a
    # page makes many objects: with Python's thresholds, collections took a tenth of the processor time of 40 visitors,
    # and stopped all of them for 0.2 s every 5 s.
    release_compiler_memory()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


def _let_first_visitor_begin() -> None:
    """Wait until the page of a visitor who has started the warm-up is computed.

    The page compiles and loads what it needs itself. Next to the warm-up, which uses Python as well, it came 0.8 s
    later.
    """
    time.sleep(_BEGIN)
    wait_until_nobody_computes(_FIRST_PAGE)
