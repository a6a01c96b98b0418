"""The same model with the other placement of norms: it takes the memory of one encoder, whatever is typed or edited."""

import numpy as np
import pytest

from dashboard.models.model import model_for
from dashboard.models.variants import model_with_norm
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import Encoder
from encoder_core.edits import parse_edit

EDITS = tuple(map(parse_edit, ("head.0.1=0.5", "score.0.0.1.2.0=3")))


def settings(**values: object) -> Settings:
    return Settings.from_state(DEFAULTS | values)


def test_inputs_and_edits_of_a_trained_encoder_share_one_encoder():
    encoders = [
        model_with_norm(settings(encoder="reverse", input=text), "pre", edits).encoder
        for text in ("a b c", "c b a d") for edits in ((), EDITS)
    ]  # fmt: skip
    assert all(encoder is encoders[0] for encoder in encoders)
    assert encoders[0].config.norm == "pre"
    assert encoders[0].config.final_norm


@pytest.mark.parametrize("seed", [0, 3])
def test_edits_and_masks_of_a_random_encoder_share_one_encoder(seed):
    drawn = settings(seed=seed, text="the black cat")
    custom = settings(seed=seed, text="the black cat", mask="custom", custom_mask="causal.2/100/110/111")
    assert custom.has_custom_mask
    plain, edited, masked = (model_with_norm(s, "pre", e) for s, e in ((drawn, ()), (drawn, EDITS), (custom, EDITS)))
    assert plain.encoder is edited.encoder is masked.encoder
    assert plain.edits == ()
    assert edited.edits == masked.edits == EDITS
    assert isinstance(masked.mask, np.ndarray)


def test_the_other_norm_of_a_random_encoder_is_drawn_where_it_is_looked_at():
    chosen = settings(seed=5, text="nobody else types this", layers=11)
    encoder, other = model_for(chosen).encoder, model_with_norm(chosen, "pre", ()).encoder
    assert other.is_drawn
    assert not encoder._parameters._drawn
    expected = Encoder.random(other.config, 5).parameters()
    for name, array in other.parameters().items():
        np.testing.assert_array_equal(array, expected[name])
    assert other.parameters()["token_embedding"] is encoder.parameters()["token_embedding"]
