"""Plotly's script, published for browsers."""

import sys
from pathlib import Path

import plotly

from dashboard.components.static_files import publish

# The package has the whole of Plotly only, which takes a browser 0.5 s longer to load.
_WHOLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_SMALL = Path(sys.prefix) / "plotly-cartesian.min.js"  # of tools/fetch-plotly

PLOTLY = publish(_SMALL if _SMALL.is_file() else _WHOLE)  # the name of the file
