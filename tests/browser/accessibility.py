"""Violations of accessibility rules on an open page, found by axe-core."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Plotly's drawing is an image for assistive technology: the figure around it has the role and the text.
_CONTEXT = {"exclude": [[".ew-chart > *"]]}
_WCAG = {
    "runOnly": ["wcag2a", "wcag2aa"],
    "rules": {"heading-order": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}},
}
_axe = Axe()


def violations(page: Page) -> list[str]:
    """Violations of WCAG 2 at the levels A and AA, of the order of headings, and of names that differ from labels.

    Returns a line for each element that violates a rule: the rule, the element and why.
    """
    response = _axe.run(page, _CONTEXT, {"resultTypes": ["violations"], "preload": False} | _WCAG).response
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in response["violations"]
        for node in violation["nodes"]
    ]
