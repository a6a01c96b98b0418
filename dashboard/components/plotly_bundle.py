"""Plotly's script, published for browsers."""

import sys
from pathlib import Path

import plotly

from dashboard.components.static_files import publish


def bundle(environment: Path) -> Path:
    """The small bundle, if tools/fetch-plotly has put it into this virtual environment.

    Otherwise the one of the Python package, which is the whole of Plotly: a browser takes 0.5 s longer to load it.
    """
    small = environment / "plotly-cartesian.min.js"
    return small if small.is_file() else Path(plotly.__file__).parent / "package_data" / "plotly.min.js"


PLOTLY = publish(bundle(Path(sys.prefix)))  # the name of the file
