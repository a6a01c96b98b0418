"""The verdict of every row of the tutorial in Flax NNX."""

import pytest

from encoder_core.tutorials import ITEMS, examine_all

VERDICTS = {
    "scaling-factor": "does not hold",
    "output-shapes": "holds",
    "same-key": "does not hold",
    "weighted-values": "does not hold",
}


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 17, 9999])
def test_the_verdict_of_every_row(seed):
    findings = examine_all("nnx", seed)
    assert {item.name: finding.verdict for item, finding in zip(ITEMS["nnx"], findings, strict=True)} == VERDICTS
