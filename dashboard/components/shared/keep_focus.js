// Keeps the focus of the keyboard near its place. A button that a run of the page removes, replaces or disables loses the
// focus to the whole page: the ring is gone, and a screen reader begins at the top.
// @ts-check

const PARTS = "[data-testid=stMain], [data-testid=stSidebar]";
const KEYED = "[data-testid=stElementContainer][class*=st-key-]";
const STATE = "data-test-script-state";
const CONTROLS = "button:enabled, input:enabled, textarea:enabled, a[href], [tabindex='0']";

/**
 * What had the focus, and where it stood.
 * @typedef {object} Focused
 * @property {Element} control
 * @property {string} page  its path
 * @property {string | undefined} key  Streamlit's class for the key of its widget
 * @property {{ element: Element, left: number, top: number }[]} around  the elements around it, the innermost first, and
 *   its place in each
 */

/** @type {Focused | null} */
let last = null;
let byKeyboard = false; // rather than by the mouse or a finger
/** @type {Element | null} */
let app = null;

/** @type {(control: Element) => string | undefined} */
const keyOf = control => [...control.closest(KEYED)?.classList ?? []].find(name => name.startsWith("st-key-"));

function remember() {
  const control = document.activeElement, part = control?.closest(PARTS);
  if (!control || control === document.body) return;
  last = null; // what is in a dialog gives the focus back by itself
  if (!part || control === part) return;
  const place = control.getBoundingClientRect(), around = [];
  for (let element = control.parentElement; element; element = element === part ? null : element.parentElement) {
    const { left, top } = element.getBoundingClientRect();
    around.push({ element, left: place.left - left, top: place.top - top });
  }
  last = { control, page: window.location.pathname, key: keyOf(control), around };
}

/** @type {(focused: Focused) => HTMLElement | undefined} */
function controlInstead({ key, around }) {
  const usable = (/** @type {Element} */ element) =>
    /** @type {HTMLElement[]} */ ([...element.querySelectorAll(CONTROLS)]).filter(({ offsetParent }) => offsetParent);
  const same = key && document.querySelector(`${KEYED}.${CSS.escape(key)}`);
  if (same && usable(same).length) return usable(same)[0];
  for (const { element, left, top } of around) {
    const controls = element.isConnected ? usable(element) : [];
    if (!controls.length) continue;
    const origin = element.getBoundingClientRect();
    const distance = (/** @type {HTMLElement} */ control) => {
      const place = control.getBoundingClientRect();
      return Math.hypot(place.left - origin.left - left, place.top - origin.top - top);
    };
    return controls.reduce((nearest, control) => distance(control) < distance(nearest) ? control : nearest);
  }
}

function restore() {
  if (!last || document.activeElement !== document.body || app?.getAttribute(STATE) !== "notRunning") return;
  if (last.page !== window.location.pathname) return; // another page is read from its top
  if (last.control.isConnected && !last.control.matches(":disabled")) return; // it was left
  controlInstead(last)?.focus({ preventScroll: true });
}

const restoreSoon = () => setTimeout(restore); // the end of a run can be known before the page shows what it brought

function listen() {
  document.addEventListener("pointerdown", () => { byKeyboard = false; last = null; }, { capture: true });
  document.addEventListener("keydown", () => { byKeyboard = true; remember(); }, { capture: true });
  document.addEventListener("focusin", () => { if (byKeyboard) remember(); });
  document.addEventListener("focusout", restoreSoon);
}

/**
 * From now on, when a run of the page has ended and what had the focus is gone: move it to the control with the same key,
 * or else to the nearest one. Where the mouse or a finger has been used last, nothing is moved: a text field would open
 * the keyboard of a phone.
 */
export function keepFocus() {
  const shown = document.querySelector("[data-testid=stApp]");
  if (!shown || shown === app) return;
  if (!app) listen();
  app = shown;
  new MutationObserver(restoreSoon).observe(app, { attributeFilter: [STATE] });
}
