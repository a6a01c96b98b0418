"""A tap is told from a swipe."""

import pytest

_MOUNT = """async events => {
    const { watchTouches, useClick } = await import("/plot/interaction/touch.js");
    let swipes = 0;
    const touches = watchTouches(document.body, () => { swipes += 1; });
    for (const [name, x, y, more] of events) {
        document.body.dispatchEvent(new PointerEvent(name, {
            clientX: x, clientY: y, isPrimary: true, pointerType: "touch", ...more }));
    }
    return [useClick(touches), useClick(touches), swipes];
}"""
DOWN = ["pointerdown", 100, 100]


@pytest.mark.parametrize(
    ("events", "used"),
    [
        ([DOWN], [True, False, 0]),
        ([DOWN, ["pointermove", 106, 108]], [True, False, 0]),  # 10 pixels
        ([DOWN, ["pointermove", 106, 109], ["pointermove", 100, 100]], [False, False, 1]),
        ([DOWN, ["pointercancel", 100, 100]], [False, False, 1]),  # the browser scrolls
        ([DOWN, ["pointerdown", 150, 150, {"isPrimary": False}]], [False, False, 1]),  # two fingers
        ([DOWN, ["pointermove", 300, 300, {"pointerType": "mouse"}]], [True, False, 0]),  # Plotly knows a drag
        ([DOWN, ["pointercancel", 0, 0], DOWN], [True, False, 1]),  # the next touch is a tap
    ],
)
def test_clicks(scripts, events, used):
    assert scripts.page.evaluate(_MOUNT, events) == used
