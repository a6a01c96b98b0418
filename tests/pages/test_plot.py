"""Serialised panels: arrays, operators and outlines."""

import base64
import json

import numpy as np

from dashboard.components.plot import _with_operators
from dashboard.components.plot.outlines import inspection_outlines, shows_inspected_cell
from dashboard.components.plot.serialise import to_json
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from encoder_core import Encoder, EncoderConfig
from encoder_core.explain import derive, parse_cell
from encoder_core.figures import AxisMeaning, HeatmapStyle, Product, Window, heatmap, row_bars
from encoder_core.scenes.attention import multi_head

VALUES = np.array([[1.0, np.nan, 0.5], [0.0, 3.0, -7.0]], np.float32)


def decoded(packed):
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
    return flat.reshape([int(size) for size in packed["shape"].split(",")]) if "shape" in packed else flat


def test_a_serialised_panel_has_its_arrays_and_description():
    panel = heatmap(
        VALUES,
        Window(0, 2, 1, ("<b>", "b")),
        title="t",
        marks=[(1, 2)],
        style=HeatmapStyle(row_axis=AxisMeaning("query", "title"), limit=2.0),
    ).with_product(Product(0, 2, 0.5), [(1, 0)])
    sent = json.loads(to_json(panel, [{"type": "rect"}]))
    np.testing.assert_array_equal(decoded(sent["data"][0]["z"]), VALUES)
    assert decoded(sent["data"][-1]["x"]).tolist() == [1, 2]  # the cells beyond the scale
    assert sent["rows"] == {
        "kind": "query",
        "title": "title",
        "names": ["<b>", "b"],
        "start": 0,
        "size": 1,
        "labels": [],
    }
    assert sent["product"] == {"left": 0, "right": 2, "factor": 0.5}
    assert (sent["setByHand"], sent["marked"], sent["tiles"]) == ([[1, 0]], [[1, 2]], None)
    assert sent["layout"]["shapes"][-1] == {"type": "rect"}
    assert (sent["isInspected"], sent["opensNext"]) == (False, False)
    assert json.loads(to_json(panel, is_inspected=True))["isInspected"] is True
    assert len(panel.layout["shapes"]) == len(sent["layout"]["shapes"]) - 1  # the panel itself is not changed


def test_offsets_of_bins_are_sent_as_bytes():
    panel = heatmap(VALUES, ["a", "b"], Window(0, 3, 2), title="t")
    packed = json.loads(to_json(panel))["data"][0]["customdata"]
    assert packed["dtype"] == "u1"
    assert decoded(packed).tolist() == [[0, 0], [1, 0]]


def test_each_panel_has_the_operator_before_it():
    one, two = (row_bars(np.ones(2), ["a", "b"], title=title) for title in "ab")
    assert _with_operators([one, "=", two, two]) == [("", one), ("=", two), ("", two)]


def test_the_operands_of_a_cell_are_outlined_in_each_tile():
    config = EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=1)
    encoder = Encoder.random(config, seed=0)
    run = encoder.run(["the cat sat"])
    trace = run.trace
    cell = parse_cell("attn_out.0.0.1.5", trace, encoder.parameters())
    derivation = derive(run, cell)
    inspection = Inspection((cell,), derivation, Focus(0, 0, 0, 1, 0, trace.tokens[0]), (1, 3, 8), run)
    layer = trace.layers[0]
    tiles, _, total = multi_head.contributions(
        layer.head_contributions[0], layer.attn_out[0], Focus(token=1, labels=trace.tokens[0]), biased=True
    )
    gap = tiles.tiles.gap
    outlines = [
        (shape["x0"], shape["x1"], shape["y0"], shape["line"].get("dash"))
        for shape in inspection_outlines(tiles, inspection)
    ]
    assert outlines == [(4.5, 5.5, 0.5, "dot"), (12.5 + gap, 13.5 + gap, 0.5, "dot")]
    (frame,) = inspection_outlines(total, inspection)
    assert (frame["x0"], frame["y0"], frame["line"]["width"]) == (4.5, 0.5, 3)
    assert inspection_outlines(total, None) == []
    assert [shows_inspected_cell(panel, inspection) for panel in (tiles, total)] == [False, True]
    assert not shows_inspected_cell(total, None)
