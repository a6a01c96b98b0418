// Tells a tap from a swipe: a finger that scrolls the page over a figure must not select a cell. Knows where a click is.
// @ts-check

const TAP_RADIUS = 10;  // pixels that the finger of a tap may move

/**
 * The last touch: whether it was a swipe, or was made with several fingers, and whether its click has been used. Plotly
 * reports two clicks for a tap. `left` and `top` are where it, or the mouse button, was pressed, in pixels of the window.
 * @typedef {{ isSwipe: boolean, isUsed: boolean, left: number, top: number }} Touches
 */

/**
 * The last press, and what was under the mouse then. Plotly takes a click for none if it does not know that when the button
 * comes up, and it forgets it when the figure is painted in between, as when the answer to the click before arrives.
 * @type {{ plot: PlotElement, points: PlotPoint[] | undefined } | null}
 */
let press = null;
window.addEventListener("mouseup", () => {
  if (press?.plot._dragging) press.plot._hoverdata ??= press.points;
}, { capture: true });  // before Plotly hears of it

/** @type {(target: EventTarget | null) => void} */
function rememberPress(target) {
  /** @type {PlotElement | null} */
  const plot = target instanceof Element ? target.closest(".js-plotly-plot") : null;
  press = plot && { plot, points: plot._hoverdata };
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
    rememberPress(target);
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
