"""Everything slow happens once, before a person waits for it: compiling, drawing seed 0, Plotly's bundle in place."""

import gc
import shutil
import threading
from functools import cache
from importlib.resources import files
from pathlib import Path

import plotly

from encoder_core import warm_up

STATIC = Path(__file__).parent.parent / "static"
PLOTLY_BUNDLE = f"plotly-{plotly.__version__}.min.js"


@cache
def start() -> threading.Thread:
    """Start the warm-up in the background; every later call in this process finds it started."""
    publish_plotly()
    thread = threading.Thread(target=_warm, name="warm-up", daemon=True)
    thread.start()
    return thread


def publish_plotly() -> None:
    """Put the bundle of the installed plotly package where Streamlit serves it, so that no CDN is needed."""
    target = STATIC / PLOTLY_BUNDLE
    source = files("plotly") / "package_data" / "plotly.min.js"
    if not target.exists():
        STATIC.mkdir(exist_ok=True)
        partial = target.with_suffix(".partial")
        shutil.copyfile(str(source), partial)
        partial.replace(target)


def _warm() -> None:
    warm_up()
    # What is loaded now stays: the collector need not walk it again (60 ms a collection otherwise).
    gc.collect()
    gc.freeze()
