"""The multi-head page: the effect of heads that are switched off."""

import base64
import re

import numpy as np
import pytest

from dashboard.page_list import stage_named
from encoder_core.analysis import relative_change
from tests.pages.app import figures, opened, rendered

TEXT = "one cat\na dog ran off"


@pytest.mark.parametrize("sentence", ["1", "2"])
def test_the_relative_change_is_that_of_the_sentence_in_the_figures(framed, sentence):
    at = opened(stage_named("multi_head"), part="Switch heads off", sentence=sentence, text=TEXT, d_model="16")
    (text,) = [text for text in rendered(at) if text.startswith("Relative change")]
    panels = list(figures(at))
    (last,) = [place for place, panel in enumerate(panels) if panel["title"] == "output of the model"]
    numbers = [_matrix(panel) for panel in panels[last - 3 : last + 2]]
    expected = [f"{relative_change(*pair):.0%}" for pair in (numbers[:2], numbers[3:])]
    assert re.findall(r"\*\*(\d+%)\*\*", text) == expected


def _matrix(panel):
    z = panel["data"][0]["z"]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
