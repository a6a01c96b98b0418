"""What holds for the rows of every tutorial: quotations, findings and figures."""

import re

import pytest

from encoder_core.experiments import experiments
from encoder_core.figures import panels_of
from encoder_core.tutorials import ITEMS, RELATED_EXPERIMENTS, Finding, examine_all, judge
from encoder_core.tutorials.item import VERDICTS

SEEDS = (0, 7)


@pytest.mark.parametrize("tutorial", ITEMS)
def test_every_row_is_quoted_named_and_explained(tutorial):
    items = ITEMS[tutorial]
    names = [item.name for item in items]
    assert len(set(names)) == len(names)
    for item in items:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", item.name)
        assert item.quotations
        for quotation in item.quotations:
            assert quotation.text.strip()
            assert quotation.address is None or quotation.address.startswith("https://")
        assert item.title
        assert item.meaning.endswith((".", "?"))


@pytest.mark.parametrize("tutorial", ITEMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_finding_can_be_read_and_drawn(tutorial, seed):
    for item, finding in zip(ITEMS[tutorial], examine_all(tutorial, seed), strict=True):
        assert finding.verdict in VERDICTS, item.name
        assert finding.measured, item.name
        assert finding.statement.endswith("."), item.name
        assert not re.search(r"\b(nan|inf)\b", finding.statement), item.name
        for theme in ("light", "dark"):
            panels = panels_of(finding.draw(theme))
            assert panels, item.name
            assert all(panel.figure and panel.alt for panel in panels), item.name


@pytest.mark.parametrize(
    ("holds", "under_condition", "verdict"),
    [(True, False, "holds"), (True, True, "holds"), (False, True, "holds if"), (False, False, "does not hold")],
)
def test_verdicts(holds, under_condition, verdict):
    assert judge(holds, under_condition=under_condition) == verdict


@pytest.mark.parametrize(("verdict", "condition"), [("holds if", ""), ("holds", "no key is masked")])
def test_a_condition_belongs_to_holds_if(verdict, condition):
    with pytest.raises(ValueError, match="does not fit the condition"):
        Finding(verdict, "1", "One.", lambda theme: [], condition)


def test_related_experiments_and_their_rows_exist():
    rows = {(tutorial, item.name) for tutorial, items in ITEMS.items() for item in items}
    assert set(RELATED_EXPERIMENTS) <= rows
    assert set(RELATED_EXPERIMENTS.values()) <= set(experiments())
