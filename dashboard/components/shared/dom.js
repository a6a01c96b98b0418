// What the scripts of all components share. Text is set as textContent, so text that a user typed never becomes HTML.
// @ts-check

/**
 * What Streamlit passes to the default export of a component's script.
 * @template Data
 * @typedef {object} Component
 * @property {Data} data  what the Python side of the component sends
 * @property {HTMLElement} parentElement
 * @property {(name: string, value: unknown) => void} setStateValue
 * @property {(name: string, value: unknown) => void} setTriggerValue
 */

/**
 * Append a new element to `parent`, and return it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Element} parent
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function appendElement(parent, tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/**
 * A new SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @returns {SVGElementTagNameMap[Tag]}
 */
export const createSvg = tag => document.createElementNS("http://www.w3.org/2000/svg", tag);

/**
 * Set the text of an element. The same text again would make the browser lay out the element anew.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Name an element for the mouse (as its tooltip) and for screen readers.
 * @param {HTMLElement} element
 * @param {string} label
 */
export function setLabel(element, label) {
  element.title = label;
  element.setAttribute("aria-label", label);
}

/**
 * The URL of a file that dashboard/components/static_files.py has published.
 * @param {string} name
 * @returns {string}
 */
export function staticUrl(name) {
  return new URL(`app/static/${name}`, document.baseURI).href;
}

/**
 * The element of the component's HTML, typed as the script extends it.
 * @template {HTMLElement} Host
 * @param {HTMLElement} parentElement
 * @param {string} selector
 * @returns {Host}
 */
export function hostElement(parentElement, selector) {
  const host = parentElement.querySelector(selector);
  if (!host) throw new Error(`The component has no element ${selector}.`);
  return /** @type {Host} */ (host);
}

/**
 * Update a component that shows one thing at a time and has nothing to end. Returns the function that Streamlit calls to
 * take that back.
 *
 * Streamlit calls a script again for each message. When two calls follow each other closely, it may make the older one
 * last, and takes it back at once, before the browser's next task: that one then never happens.
 * @param {() => void} update
 * @returns {() => void}
 */
export function unlessTakenBack(update) {
  const timer = setTimeout(update);
  return () => clearTimeout(timer);
}

/** @type {WeakMap<HTMLElement, { component: Component<any>, leave: () => void }>} */
const shown = new WeakMap();

/**
 * Show a component that has something to end. Returns the function that Streamlit calls to take that back: where it takes
 * back an older call that it made last (see `unlessTakenBack`), the newer one is shown again.
 * @template Data
 * @param {HTMLElement} host
 * @param {Component<Data>} component
 * @param {(component: Component<Data>) => () => void} show  returns what ends it before something else is shown
 * @param {() => void} [release]  called when nothing more will be shown
 * @returns {() => void}
 */
export function showLatest(host, component, show, release) {
  const before = shown.get(host)?.component;
  const enter = (/** @type {Component<Data>} */ latest) => {
    shown.get(host)?.leave();
    shown.set(host, { component: latest, leave: show(latest) });
  };
  enter(component);
  return () => {
    const latest = shown.get(host);
    if (latest?.component !== component) return;
    if (before && host.isConnected) return enter(before);
    latest.leave();
    shown.delete(host);
    release?.();
  };
}
