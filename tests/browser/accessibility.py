"""Violations of accessibility rules on an open page, found by axe-core."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# Plotly's drawing is an image for assistive technology: the figure around it has the role and the text.
_CONTEXT = {"exclude": [[".ew-chart > *"]]}
_OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa"],
    "rules": {"heading-order": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}},
    "resultTypes": ["violations"],
    "preload": False,
}

# A text that is becoming visible, such as the ends of a slider that the mouse has left, has no contrast yet.
_AT_REST = """() => document.getAnimations().every(({ timeline, playState, effect }) =>
    timeline !== document.timeline || playState !== "running" || effect.getComputedTiming().endTime === Infinity)"""


def violations(page: Page) -> list[str]:
    """Violations of WCAG 2 at the levels A and AA, of the order of headings, and of names that differ from labels.

    Returns a line for each element that violates a rule: the rule, the element and why.
    """
    page.wait_for_function(_AT_REST)
    if page.evaluate("!window.axe"):  # it takes a third of the time, and stays until another page is loaded
        page.evaluate(AXE_SCRIPT)
    result = page.evaluate("([context, options]) => axe.run(context, options)", [_CONTEXT, _OPTIONS])
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]
