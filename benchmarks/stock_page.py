"""The stock way, for comparison: a slider, and heatmaps by `st.plotly_chart`. Nothing is computed.

    streamlit run stock_page.py -- FIGURES.json

FIGURES.json holds, for each of several slider positions, the figures of one page, in rows: the page shows those of
the position. Default settings of Streamlit, no model loaded.
"""

import json
import sys
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st


@st.cache_resource
def figures() -> list[list[list[go.Figure]]]:
    """Position -> rows -> figures."""
    positions = json.loads(Path(sys.argv[1]).read_text())
    return [[[go.Figure(figure) for figure in row] for row in rows] for rows in positions]


st.set_page_config(layout="wide")
position = st.sidebar.select_slider("d_model", range(4, 257, 4), 64)
rows = figures()[position // 4 % len(figures())]
for i, row in enumerate(rows):
    for j, (column, figure) in enumerate(zip(st.columns(len(row)), row, strict=True)):
        column.plotly_chart(figure, key=f"figure-{i}-{j}", config={"displayModeBar": False})
