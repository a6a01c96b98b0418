"""The edit of a number on screen, and its current value."""

import numpy as np
import pytest

from dashboard.inspect.cell_edit import find_cell_edit
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import (
    Encoder,
    EncoderConfig,
    HeadFactor,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
)
from encoder_core.explain import parse_cell
from encoder_core.explain.cell import tensor_at
from tests.pages.app import key_of, opened, run

CONFIG = EncoderConfig(vocab_size=9, d_model=12, num_heads=3, d_ff=8, num_layers=2)  # d_head 4
EDITS = [
    Temperature(3.0),
    ReplaceToken(1, 2, 8),
    HeadFactor(1, 2, 0.5),
    HeadFactor(1, 2, -3.0),
    ResidualFactor(1, "attention", 2.0),
    SetWeight("W_Q", 1, 2, 3, 1, 7.0),
]
RUN = Encoder.random(CONFIG).run(np.array([[1, 2, 3], [4, 5, 6]]), "causal", EDITS)
KERNEL = "parameters.layers.1.attention"

# Cell -> the edit for the value 5, and the current value (None: the number of the cell).
CELL_EDITS = {
    "token_embedding.1.2.7": (SetTokenEmbedding(8, 7, 5.0), None),  # the row of the replaced token
    "embedded.1.2.7": (SetEmbedded(1, 2, 7, 5.0), None),
    "scores.1.0.2.2.1": (SetScore(0, 1, 2, 2, 1, 5.0), None),
    "scores.1.0.2.1.2": (SetScore(0, 1, 2, 1, 2, 5.0), -np.inf),
    "dot_products.1.0.2.2.1": (SetScore(0, 1, 2, 2, 1, 5.0), "scores.1.0.2.2.1"),
    "pattern.1.0.2.2.1": (SetScore(0, 1, 2, 2, 1, 5.0), "scores.1.0.2.2.1"),
    "z.1.0.2.1.3": (HeadFactor(1, 2, 5.0), -1.5),
    "z.0.0.2.1.3": (HeadFactor(0, 2, 5.0), 1.0),
    "head_contributions.1.0.2.1.3": (HeadFactor(1, 2, 5.0), -1.5),
    "resid_mid.1.0.2.7": (ResidualFactor(1, "attention", 5.0), 2.0),
    "resid_post.1.0.2.7": (ResidualFactor(1, "mlp", 5.0), 1.0),
    "parameters.token_embedding.4.7": (SetTokenEmbedding(4, 7, 5.0), None),
    f"{KERNEL}.query.kernel.3.9": (SetWeight("W_Q", 1, 2, 3, 1, 5.0), 7.0),
    f"{KERNEL}.key.kernel.3.9": (SetWeight("W_K", 1, 2, 3, 1, 5.0), None),
    f"{KERNEL}.value.kernel.3.9": (SetWeight("W_V", 1, 2, 3, 1, 5.0), None),
    f"{KERNEL}.out.kernel.9.3": (SetWeight("W_O", 1, 2, 1, 3, 5.0), None),
}


def number_at(text):
    cell = parse_cell(text, RUN.trace, RUN.parameters)
    return float(tensor_at(RUN, cell)[cell.index])


@pytest.mark.parametrize("text", CELL_EDITS)
def test_the_edit_of_a_cell(text):
    edit, current = CELL_EDITS[text]
    cell_edit = find_cell_edit(parse_cell(text, RUN.trace, RUN.parameters), RUN)
    assert cell_edit.make_edit(5.0) == edit
    assert cell_edit.is_factor == isinstance(edit, HeadFactor | ResidualFactor)
    expected = number_at(text if current is None else current) if not isinstance(current, float) else current
    assert cell_edit.value == expected


@pytest.mark.parametrize(
    "text",
    [
        "ids.0.1", "scaled_embedding.0.1.2", "position_encoding.1.2", "resid_pre.1.0.1.2", "attn_in.1.0.1.2",
        *(f"{name}.1.0.2.1.3" for name in "qkv"), "concat.1.0.1.2", "attn_out.1.0.1.2", "mlp_in.1.0.1.2",
        "mlp_pre.1.0.1.2", "mlp_act.1.0.1.2", "mlp_out.1.0.1.2", "output.0.1.2", f"{KERNEL}.query.bias.3",
        "parameters.layers.1.mlp.up.kernel.1.2", "parameters.layers.1.norm1.scale.2",
    ],
)  # fmt: skip
def test_a_computed_number_has_no_edit(text):
    assert find_cell_edit(parse_cell(text, RUN.trace, RUN.parameters), RUN) is None


def test_embedded_input_has_no_row_of_the_table():
    rows = Encoder.random(CONFIG).run(np.ones((1, 2, 12), np.float32))
    assert find_cell_edit(parse_cell("token_embedding.0.1.2", rows.trace, rows.parameters), rows) is None


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_number_field_shows_the_score_of_the_softmax_page(framed, temperature):
    at = opened(stage_named("softmax"), layer="3", cell="pattern.2.0.1.5.3")
    if temperature != 1:
        at.select_slider(key=key_of(at, "temperature")).set_value(temperature)
        run(at)
    model = model_for(Settings.from_state(DEFAULTS))
    layers = model.trace_with(*([Temperature(temperature)] if temperature != 1 else [])).layers
    expected = float(layers[2].scores[0, 1, 5, 3])
    assert at.number_input(key=key_of(at, "what_if_number")).value == pytest.approx(expected, abs=1e-6)
    assert temperature == 1 or abs(expected - float(model.trace.layers[2].scores[0, 1, 5, 3])) > 1e-3
