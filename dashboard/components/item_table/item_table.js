// The rows of a tutorial as a table; each row has a button, and a click anywhere on the row opens it.
// @ts-check

import { appendElement, hostElement, unlessTakenBack } from "../shared/dom.js";

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} title
 * @property {string} kind
 * @property {string} says  what the tutorial says
 * @property {boolean} quoted  whether these are its words
 * @property {"holds" | "holds if" | "does not hold"} verdict
 * @property {string} condition
 * @property {string} measured
 *
 * @typedef {import("../shared/dom.js").Component<{ rows: Row[], selected: string }>} TableComponent
 */

const HEADINGS = ["", "In the tutorial", "Verdict", "Measured"];
const VERDICTS = {
  "holds": { icon: "✓", style: "ew-holds" },
  "holds if": { icon: "◐", style: "ew-holds-if" },
  "does not hold": { icon: "✗", style: "ew-fails" },
};

/** @type {(body: Element, row: Row, number: number, component: TableComponent) => HTMLTableRowElement} */
function appendRow(body, row, number, component) {
  const element = appendElement(body, "tr");
  appendElement(element, "td", "ew-number", String(number));
  const item = appendElement(element, "td", "ew-item");
  const button = appendElement(item, "button", "ew-title", row.title);
  button.type = "button";
  button.dataset.name = row.name;
  appendElement(item, "small", "ew-kind", row.kind);
  if (row.says) appendElement(item, row.quoted ? "q" : "span", "ew-says", row.says);
  const verdict = appendElement(element, "td", `ew-verdict ${VERDICTS[row.verdict].style}`);
  appendElement(verdict, "span", "ew-icon", VERDICTS[row.verdict].icon).setAttribute("aria-hidden", "true");
  appendElement(verdict, "b", "", row.verdict);
  if (row.condition) appendElement(verdict, "span", "", ` ${row.condition}`);
  appendElement(element, "td", "ew-measured", row.measured);
  element.onclick = () => component.setTriggerValue("open", row.name);
  return element;
}

/**
 * Scroll the table, not the page, so that the row is visible.
 * @param {HTMLElement} host
 * @param {HTMLElement} row
 */
export function scrollToRow(host, row) {
  const head = host.querySelector("thead")?.clientHeight ?? 0;
  const top = row.offsetTop - head, bottom = row.offsetTop + row.offsetHeight;
  if (top < host.scrollTop) host.scrollTop = top;
  else if (bottom > host.scrollTop + host.clientHeight) host.scrollTop = bottom - host.clientHeight;
}

/** @param {TableComponent} component */
function show(component) {
  const { rows, selected } = component.data;
  /** @type {HTMLElement} */
  const host = hostElement(component.parentElement, ".ew-item_table");
  const { scrollTop } = host;
  const focused = /** @type {HTMLElement | null} */ (host.querySelector("button:focus"))?.dataset.name;
  const table = document.createElement("table");
  const head = appendElement(appendElement(table, "thead"), "tr");
  for (const heading of HEADINGS) appendElement(head, "th", "", heading).scope = "col";
  const body = appendElement(table, "tbody");
  const elements = rows.map((row, i) => appendRow(body, row, i + 1, component));
  host.replaceChildren(table);
  host.scrollTop = scrollTop;
  const index = rows.findIndex(row => row.name === selected);
  if (index >= 0) {
    elements[index].classList.add("ew-selected");
    elements[index].querySelector("button")?.setAttribute("aria-current", "true");
    scrollToRow(host, elements[index]);
  }
  elements[rows.findIndex(row => row.name === focused)]?.querySelector("button")?.focus({ preventScroll: true });
}

/** @param {TableComponent} component */
export default function (component) {
  return unlessTakenBack(() => show(component));
}
