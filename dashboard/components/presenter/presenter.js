// The bar of the presentation mode, and its keys: PageDown and the right arrow show the next figure, after the last one
// the next page; PageUp and the left arrow go back in the same way; Escape returns to the normal view.
// @ts-check

import { appendElement, hostElement, setLabel, showLatest } from "../dom.js";

/**
 * What dashboard/components/presenter/__init__.py sends. A neighbour is null where there is none.
 * @typedef {{ previous: string | null, following: string | null }} PresenterData
 * @typedef {import("../dom.js").Component<PresenterData>} PresenterComponent
 * @typedef {"previous" | "next" | "leave"} Action
 */

/** @type {Record<string, Action>} */
const KEYS = { PageDown: "next", ArrowRight: "next", PageUp: "previous", ArrowLeft: "previous", Escape: "leave" };

// These use the keys themselves: what is typed or chosen there must not turn the page. A clicker sends the page keys,
// which fewer elements use.
const USES_PAGE_KEYS = "textarea, [contenteditable=true], [role=slider], [role=grid], [role=listbox], [role=menu]";
const USES_ARROWS = `${USES_PAGE_KEYS}, input, select, [role=combobox], [role=radiogroup], [role=tablist]`;
const OPEN = "[role=dialog], [role=listbox], [data-testid=stPopoverBody], .ew-save[open]";  // Escape closes them

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

/**
 * Show the next or the previous figure of the line that shows one at a time. False if there is none.
 * @param {Action} action
 * @param {Document} [page]
 * @returns {boolean}
 */
export function showNeighbour(action, page = document) {
  const buttons = [...page.querySelector(".ew-switched > .ew-switcher")?.querySelectorAll("button") ?? []];
  const shown = buttons.findIndex(button => button.getAttribute("aria-pressed") === "true");
  const neighbour = shown < 0 || action === "leave" ? undefined : buttons[shown + (action === "next" ? 1 : -1)];
  neighbour?.click();
  return Boolean(neighbour);
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
  const canAct = { previous: Boolean(previous), next: Boolean(following), leave: true };
  const act = (/** @type {Action} */ action) => setTriggerValue("action", action);
  host.replaceChildren();
  host.setAttribute("role", "toolbar");
  host.setAttribute("aria-label", "Presentation");
  appendButton(host, "←", previous ? `Previous page: ${previous}` : "No previous page", previous ? () => act("previous") : undefined);
  appendButton(host, "→", following ? `Next page: ${following}` : "No next page", following ? () => act("next") : undefined);
  appendButton(host, "Exit", "Return to the normal view (Escape)", () => act("leave"));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const action = actionOf(event);
    if (!action) return;
    const hasShown = showNeighbour(action);
    if (!hasShown && !canAct[action]) return;
    event.preventDefault();
    if (!hasShown) act(action);
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
