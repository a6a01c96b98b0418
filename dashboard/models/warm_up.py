"""Everything slow happens once, before a person waits for it: compiling, and drawing the parameters of seed 0."""

import gc
import threading
from functools import cache

from dashboard.models.loading import loading
from dashboard.state.offered_encoders import MINILM, OFFERED
from encoder_core import warm_up
from encoder_core.pretrained import on_this_machine


@cache
def start() -> threading.Thread:
    """Start the warm-up in the background; every later call in this process finds it started."""
    thread = threading.Thread(target=_warm, name="warm-up", daemon=True)
    thread.start()
    return thread


def _warm() -> None:
    warm_up()
    minilm = OFFERED.get(MINILM)
    if minilm and on_this_machine(minilm):  # a download waits until somebody asks for it
        loading(minilm).start()
        loading(minilm).finish()
    # What is loaded now stays: the collector need not walk it again (60 ms a collection otherwise).
    gc.collect()
    gc.freeze()
