// Tells a tap from a swipe: a finger that scrolls the page over a figure must not select a cell. Knows where a click is.
// @ts-check

const TAP_RADIUS = 10;  // pixels that the finger of a tap may move

/**
 * The last touch: whether it was a swipe, or was made with several fingers, and whether its click has been used. Plotly
 * reports two clicks for a tap. `left` and `top` are where it, or the mouse button, was pressed, in pixels of the window.
 * @typedef {{ isSwipe: boolean, isUsed: boolean, left: number, top: number }} Touches
 */

/**
 * Plotly takes a click for none if it does not know what is under the mouse when the button comes up. It forgets that when
 * the figure is painted while the button is down, as when the answer to the click before arrives.
 * @param {EventTarget | null} target  of the press
 */
function rememberUntilRelease(target) {
  /** @type {PlotElement | null} */
  const plot = target instanceof Element ? target.closest(".js-plotly-plot") : null, pressed = plot?._hoverdata;
  if (!plot || !pressed) return;
  window.addEventListener("mouseup", () => { if (plot._dragging) plot._hoverdata ??= pressed; }, { capture: true, once: true });
}

/**
 * Watch the touches on an element. Pointer events come before the touch events from which Plotly makes its clicks.
 * @param {HTMLElement} host
 * @param {() => void} onSwipe  called when a touch becomes a swipe
 * @returns {Touches}
 */
export function watchTouches(host, onSwipe) {
  const touches = { isSwipe: false, isUsed: false, left: 0, top: 0 };
  function becomeSwipe() {
    if (touches.isSwipe) return;
    touches.isSwipe = true;
    onSwipe();
  }
  host.addEventListener("pointerdown", ({ isPrimary, clientX, clientY, target }) => {
    if (!isPrimary) return becomeSwipe();
    rememberUntilRelease(target);
    touches.isSwipe = touches.isUsed = false;
    [touches.left, touches.top] = [clientX, clientY];
  }, { capture: true });
  host.addEventListener("pointermove", ({ pointerType, clientX, clientY }) => {
    if (pointerType === "touch" && Math.hypot(clientX - touches.left, clientY - touches.top) > TAP_RADIUS) becomeSwipe();
  }, { capture: true });
  host.addEventListener("pointercancel", becomeSwipe, { capture: true });  // the browser scrolls or zooms
  return touches;
}

/**
 * Whether a click is the first one of a tap or of a mouse button.
 * @param {Touches} touches
 * @returns {boolean}
 */
export function useClick(touches) {
  const isFirst = !touches.isSwipe && !touches.isUsed;
  touches.isUsed = true;
  return isFirst;
}
