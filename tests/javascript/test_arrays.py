"""Arrays in base64 come out as they went in."""

import base64
import json

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from encoder_core.figures import Panel, theme_named

NUMBERS = np.array([[0, 1, 2], [3, 100, 127]])


def packed(array: np.ndarray, dtype: str, **shape: str) -> dict[str, str]:
    return {"dtype": dtype, "bdata": base64.b64encode(array.astype(dtype).tobytes()).decode(), **shape}


def test_bytes_by_hand(scripts):
    assert scripts.call("shared/arrays.js", "decodeBase64", "AAEC/w==") == [0, 1, 2, 255]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "u1", "u2"])
def test_vectors_and_matrices_of_each_type(scripts, dtype):
    vector = packed(NUMBERS[1], dtype)
    matrix = packed(NUMBERS, dtype, shape="2, 3")
    assert scripts.call("shared/arrays.js", "unpackArray", vector) == NUMBERS[1].tolist()
    assert scripts.call("shared/arrays.js", "unpackArray", matrix) == NUMBERS.tolist()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4"])
def test_negative_numbers(scripts, dtype):
    assert scripts.call("shared/arrays.js", "unpackArray", packed(np.array([-128, -1]), dtype)) == [-128, -1]


def test_fractions(scripts):
    assert scripts.call("shared/arrays.js", "unpackArray", packed(np.array([-0.5, 1e300]), "f8")) == [-0.5, 1e300]


_PARSED = """async json => {
    const { values, data } = (await import("/plot/panel/panel.js")).parsePanel(json);
    const list = matrix => matrix && [...matrix].map(row => [...row]);
    return { values: list(values), offsets: list(data.at(-1).customdata) };
}"""


def panel(*traces: dict) -> Panel:
    return Panel(kind="heatmap", title="", alt="", data=traces, layout={}, theme=theme_named("light"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
def test_a_panel_from_python_has_its_numbers_and_offsets(scripts, dtype):
    values = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    trace = {"type": "heatmap", "z": values, "customdata": values % 2}
    parsed = scripts.page.evaluate(_PARSED, to_json(panel(trace)))
    assert parsed == {"values": values.tolist(), "offsets": (values % 2).tolist()}


def test_masked_cells_are_nan(scripts):
    values = np.array([[0.25, np.nan]])
    mask = {"type": "heatmap", "name": "masked", "z": np.array([[0.0, 1.0]])}
    parsed = scripts.page.evaluate(_PARSED, to_json(panel(mask, {"type": "heatmap", "z": values})))
    np.testing.assert_array_equal(parsed["values"], values)


def test_a_panel_without_a_heatmap_has_no_numbers(scripts):
    parsed = scripts.page.evaluate(_PARSED, json.dumps({"data": [{"type": "bar", "x": [1, 2]}]}))
    assert parsed == {"values": None, "offsets": None}
