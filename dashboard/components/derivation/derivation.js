// The derivation of one number: a trail of cells, and the steps with their terms. Operands that are cells are buttons.
// @ts-check

import { appendElement, hostElement, unlessTakenBack } from "../shared/dom.js";
import { formatNumber } from "../shared/numbers.js";

/**
 * A number; Infinity and NaN as text, because JSON cannot hold them.
 * @typedef {number | string} Value
 *
 * @typedef {object} Operand
 * @property {string} name
 * @property {Value} value
 * @property {string | null} cell  null where the operand is not a cell
 * @property {string | null} colour
 *
 * @typedef {object} Term
 * @property {Operand[]} operands
 * @property {string} sign  between the operands
 * @property {number} operand_digits  significant digits
 * @property {number} adds_digits
 * @property {"=" | "≈"} relation  of the product as displayed to the value as displayed
 * @property {Value} adds  the value of the term
 * @property {Value} running  the sum up to this term
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {Value} value
 * @property {Term[]} terms
 * @property {[number, Value] | null} folded  the number of terms left out, and their sum
 *
 * What dashboard/components/derivation/__init__.py sends: `description` is that of the cell, `trace_value` its value in the
 * trace, `result` the value that the steps give.
 * @typedef {object} DerivationData
 * @property {{ cell: string, label: string }[]} trail
 * @property {string} description
 * @property {Value} trace_value
 * @property {Value} result
 * @property {number | null} difference
 * @property {string} note
 * @property {Step[]} steps
 * @property {Colours} colours
 *
 * @typedef {{ plus: string, minus: string }} Colours  of the bars
 * @typedef {(cell: string) => void} OpenCell
 */

const DIGITS = 5;       // significant digits, except of terms; dashboard/components/derivation/__init__.py has the same
const ROUNDING_NOTE = "Sums are of unrounded numbers. Indices in brackets count from 0, as in the code.";

/** @type {(value: Value, digits?: number) => string} */
const formatValue = (value, digits = DIGITS) => typeof value === "number" ? formatNumber(value, digits) : value;

/** @type {(value: Value, digits: number) => string} */
function formatOperand(value, digits) {
  const text = formatValue(value, digits);
  return typeof value === "number" && value < 0 ? `(${text})` : text;
}

/** @type {(parent: Element, trail: DerivationData["trail"], openCell: OpenCell) => void} */
function appendTrail(parent, trail, openCell) {
  if (trail.length < 2) return;
  const nav = appendElement(parent, "nav", "ew-trail");
  nav.setAttribute("aria-label", "Trail of opened cells");
  trail.forEach(({ cell, label }, i) => {
    if (i) appendElement(nav, "span", "ew-of", "←");
    const crumb = appendElement(nav, "button", "ew-crumb", label);
    crumb.disabled = i === trail.length - 1;
    crumb.onclick = () => openCell(cell);
  });
}

/** @type {(parent: Element, operand: Operand, digits: number, openCell: OpenCell) => void} */
function appendOperand(parent, { name, value, cell, colour }, digits, openCell) {
  const chip = appendElement(parent, cell ? "button" : "span", "ew-operand", formatOperand(value, digits));
  chip.title = cell ? `${name}: show its derivation` : name;
  if (colour) chip.style.color = colour;
  if (cell) chip.onclick = () => openCell(cell);
  chip.append(" ");  // between number and name, for screen readers
  appendElement(chip, "small", "", name);
}

/**
 * The bar of a term, from the middle to the left or right, as percentages of its place.
 * @param {Value} value
 * @param {number} largest  the largest absolute value of the terms
 * @returns {{ left: number, width: number }}
 */
export function termBar(value, largest) {
  const width = typeof value === "number" ? 50 * Math.abs(value) / largest : 0;
  return { left: typeof value === "number" && value < 0 ? 50 - width : 50, width };
}

/** @type {(table: Element, term: Term, largest: number, colours: Colours, openCell: OpenCell) => void} */
function appendTerm(table, term, largest, colours, openCell) {
  const row = appendElement(table, "div", "ew-term");
  const factors = appendElement(row, "div", "ew-factors");
  term.operands.forEach((operand, i) => {
    if (i) appendElement(factors, "span", "", term.sign);
    appendOperand(factors, operand, term.operand_digits, openCell);
  });
  const relation = term.relation === "≈" ? "≈ " : "";
  appendElement(row, "div", "ew-adds", relation + formatValue(term.adds, term.adds_digits));
  const { left, width } = termBar(term.adds, largest);
  const bar = appendElement(appendElement(row, "div", "ew-bar-of"), "i");
  bar.style.left = `${left}%`;
  bar.style.width = `${width}%`;
  bar.style.background = left < 50 ? colours.minus : colours.plus;
  appendElement(row, "div", "ew-running", formatValue(term.running));
}

/** @type {(parent: Element, step: Step, colours: Colours, openCell: OpenCell) => void} */
function appendStep(parent, { name, value, terms, folded }, colours, openCell) {
  const box = appendElement(parent, "div", "ew-step");
  const head = appendElement(box, "div", "ew-step-head");
  appendElement(head, "span", "", name);
  appendElement(head, "b", "", formatValue(value));
  if (!terms.length) return;
  const table = appendElement(box, "div", "ew-terms");
  const largest = Math.max(1e-300, ...terms.map(term => Math.abs(Number(term.adds)) || 0));
  if (terms.length > 1) {
    const titles = appendElement(table, "div", "ew-term ew-titles");
    for (const title of ["", "adds", "", "sum so far"]) appendElement(titles, "div", "", title);
  }
  for (const term of terms) appendTerm(table, term, largest, colours, openCell);
  if (folded) {
    const row = appendElement(table, "div", "ew-term ew-folded");
    appendElement(row, "div", "", `${folded[0]} more ${folded[0] === 1 ? "term" : "terms"}`);
    appendElement(row, "div", "ew-adds", formatValue(folded[1]));
    appendElement(row, "div");
    appendElement(row, "div", "ew-running", formatValue(value));
  }
}

/**
 * Show the derivation of the cell at the end of the trail.
 * @param {import("../shared/dom.js").Component<DerivationData>} component
 */
function show(component) {
  const { trail, description, trace_value: traceValue, result, difference, note, steps, colours } = component.data;
  const host = hostElement(component.parentElement, ".ew-derivation");
  const openCell = (/** @type {string} */ cell) => component.setTriggerValue("go", cell);
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren();
  appendTrail(host, trail, openCell);
  const head = appendElement(host, "div", "ew-result");
  appendElement(head, "span", "", description);
  appendElement(head, "b", "", `= ${formatValue(traceValue)}`);
  if (difference !== null) {
    appendElement(head, "small", "", `recomputed ${formatValue(result)}, Δ ${formatValue(difference, 1)}`);
  }
  if (note) appendElement(host, "p", "ew-note", note);
  for (const step of steps) appendStep(host, step, colours, openCell);
  if (steps.length) appendElement(host, "div", "ew-rounded", ROUNDING_NOTE);
  const place = /** @type {HTMLElement | null} */ (host.closest(".st-key-derivation"));
  if (place) place.style.minHeight = "0";  // that of early.css, for what is still to come
  if (hadFocus) {  // the button that had it is no longer there
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
  }
}

/** @param {import("../shared/dom.js").Component<DerivationData>} component */
export default function (component) {
  return unlessTakenBack(() => show(component));
}
