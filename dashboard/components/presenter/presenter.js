// The bar of the presentation mode, and its keys: PageDown and the right arrow show the next figure of the page, whichever
// picture it is in, and scroll to it; after the last one they open the next page. PageUp and the left arrow go back in the
// same way, to the last figure of the page before. Escape returns to the normal view. The arrows of the bar open a page at
// its start.
// @ts-check

import { appendElement, hostElement, setLabel, showLatest } from "../shared/dom.js";
import { hasPictures, isAtRest, showLastFigure, showNeighbour, startPage } from "./pictures.js";

/**
 * What dashboard/components/presenter/__init__.py sends. A neighbour is null where there is none.
 * @typedef {{ previous: string | null, following: string | null }} PresenterData
 * @typedef {import("../shared/dom.js").Component<PresenterData>} PresenterComponent
 * @typedef {"previous" | "next" | "leave"} Action
 */

/** @type {Record<string, Action>} */
const KEYS = { PageDown: "next", ArrowRight: "next", PageUp: "previous", ArrowLeft: "previous", Escape: "leave" };

// These use the keys themselves: what is typed or chosen there must not turn the page. A clicker sends the page keys,
// which fewer elements use.
const USES_PAGE_KEYS = "textarea, [contenteditable=true], [role=slider], [role=grid], [role=listbox], [role=menu]";
const USES_ARROWS = `${USES_PAGE_KEYS}, input, select, [role=combobox], [role=radiogroup], [role=tablist]`;
const OPEN = "[role=dialog], [role=listbox], [data-testid=stPopoverBody], .ew-save[open]";  // Escape closes them

const PAGE_TIMEOUT = 8_000;  // milliseconds that a page opened by a key has until the keys act again
const POLL_INTERVAL = 100;
const RESTING_POLLS = { withPictures: 2, withoutPictures: 10 };  // in a row; pictures may come after the page's script

/**
 * The action of a key, if no element on the page needs the key.
 * @param {KeyboardEvent} event
 * @param {Document} [page]
 * @returns {Action | undefined}
 */
export function actionOf(event, page = document) {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || event.defaultPrevented) return undefined;
  const usesKey = key.startsWith("Arrow") ? USES_ARROWS : USES_PAGE_KEYS;
  if (key !== "Escape" && target instanceof Element && target.closest(usesKey)) return undefined;
  if (page.querySelector(OPEN)) return undefined;
  return KEYS[key];
}

/** @type {string | null} */
let neighbours = null;  // of the page on screen: they change when another page opens
/** @type {(action: Action) => boolean} */
let take = () => false;  // what a key does on the page on screen; false if it does nothing
/** @type {number | undefined} */
let turning;            // the timer that waits for the page that a key has opened
/** @type {Action[]} */
let waiting = [];       // what was pressed since then

/**
 * When the page that a key has opened is on screen and at rest, show its last figure, if it was opened backwards, and do
 * what was pressed in the meantime. Before, its pictures arrive one after another, and a key would act on what is left of
 * the page before: pressed twice, it would leave out a page. The page must be at rest twice, because what is left is
 * removed after the script has ended.
 * @param {Action} action
 */
function waitForPage(action) {
  const start = performance.now(), before = neighbours;
  let restingPolls = 0;
  turning = window.setInterval(() => {
    restingPolls = neighbours !== before && isAtRest() ? restingPolls + 1 : 0;
    const isComplete = restingPolls >= RESTING_POLLS[hasPictures() ? "withPictures" : "withoutPictures"];
    if (!isComplete && performance.now() - start < PAGE_TIMEOUT) return;
    const pressed = waiting;
    stopWaiting();
    if (isComplete && action === "previous") showLastFigure();
    for (const next of pressed) if (turning) waiting.push(next); else take(next);
  }, POLL_INTERVAL);
}

function stopWaiting() {
  window.clearInterval(turning);
  turning = undefined;
  waiting = [];
}

/** @type {(data: PresenterData) => void} */
function notePage({ previous, following }) {
  const now = JSON.stringify([previous, following]);
  if (neighbours !== null && neighbours !== now) startPage();
  neighbours = now;
}

/**
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {string} label
 * @param {() => void} [onclick]
 */
function appendButton(parent, text, label, onclick) {
  const button = appendElement(parent, "button", "", text);
  Object.assign(button, { type: "button", onclick, disabled: !onclick });
  setLabel(button, label);
}

/** @type {(host: HTMLElement, component: PresenterComponent) => () => void} */
function show(host, { data, setTriggerValue }) {
  const { previous, following } = data;
  notePage(data);
  const canAct = { previous: Boolean(previous), next: Boolean(following), leave: true };
  const act = (/** @type {Action} */ action) => {
    stopWaiting();
    setTriggerValue("action", action);
  };
  take = action => {
    if (action !== "leave" && showNeighbour(action === "next" ? 1 : -1)) return true;
    if (!canAct[action]) return false;
    act(action);
    if (action !== "leave") waitForPage(action);
    return true;
  };
  host.replaceChildren();
  host.setAttribute("role", "toolbar");
  host.setAttribute("aria-label", "Presentation");
  appendButton(host, "←", previous ? `Previous page: ${previous}` : "No previous page", previous ? () => act("previous") : undefined);
  appendButton(host, "→", following ? `Next page: ${following}` : "No next page", following ? () => act("next") : undefined);
  appendButton(host, "Exit", "Return to the normal view (Escape)", () => act("leave"));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const action = actionOf(event);
    if (!action) return;
    const mustWait = turning !== undefined && action !== "leave";
    if (mustWait && !event.repeat) waiting.push(action);
    if (mustWait || take(action)) event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/**
 * Mount or update the component. Returns the function that unmounts it.
 * @param {PresenterComponent} component
 */
export default function (component) {
  /** @type {HTMLElement} */
  const host = hostElement(component.parentElement, ".ew-presenter");
  return showLatest(host, component, latest => show(host, latest));
}
