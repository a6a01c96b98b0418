// One number's arithmetic. Every operand that is itself on show is a button that goes on to it.
// All text goes through textContent: nothing a person typed becomes HTML.

import { formatNumber } from "../numbers.js";

function element(tag, className, parent, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

const DIGITS = 5;       // significant digits, where Python asks for no other number of them
const ROUNDED = "Sums are of unrounded numbers. Indices in brackets count from 0, as in the code.";

// Infinities arrive as text: JSON has none.
const written = (value, digits = DIGITS) => typeof value === "number" ? formatNumber(value, digits) : String(value);
const among = (value, digits) => typeof value === "number" && value < 0 ? `(${written(value, digits)})` : written(value, digits);

function addTrail(place, trail, go) {
  if (trail.length < 2) return;
  const nav = element("nav", "ew-trail", place);
  nav.setAttribute("aria-label", "From the cell that was chosen to what it was computed from");
  trail.forEach(({ cell, label }, i) => {
    if (i) element("span", "ew-of", nav, "←");
    const crumb = element("button", "ew-crumb", nav, label);
    crumb.disabled = i === trail.length - 1;
    crumb.onclick = () => go(cell);
  });
}

function addOperand(place, { name, value, cell, colour }, digits, go) {
  const chip = element(cell ? "button" : "span", "ew-operand", place, among(value, digits));
  chip.title = name;
  if (colour) chip.style.color = colour;
  if (cell) {
    chip.onclick = () => go(cell);
    chip.setAttribute("aria-label", `${name} = ${written(value)}: how it was computed`);
  }
  element("small", "", chip, name);
}

function addTerm(table, term, most, colours, go) {
  const row = element("div", "ew-term", table);
  const factors = element("div", "ew-factors", row);
  term.operands.forEach((operand, i) => {
    if (i) element("span", "ew-sign", factors, term.sign);
    addOperand(factors, operand, term.operand_digits, go);
  });
  element("div", "ew-adds", row, `${term.relation === "≈" ? "≈ " : ""}${written(term.adds, term.adds_digits)}`);
  const bar = element("div", "ew-bar-of", row);
  const size = typeof term.adds === "number" ? 50 * Math.abs(term.adds) / most : 0;
  Object.assign(element("i", "", bar).style, {
    width: `${size}%`, left: `${term.adds < 0 ? 50 - size : 50}%`, background: term.adds < 0 ? colours.minus : colours.plus,
  });
  element("div", "ew-running", row, written(term.running));
}

function addStep(place, step, colours, go) {
  const box = element("div", "ew-step", place);
  const head = element("div", "ew-step-head", box);
  element("span", "", head, step.name);
  element("b", "", head, written(step.value));
  if (!step.terms.length) return;
  const table = element("div", "ew-terms", box);
  const most = Math.max(1e-300, ...step.terms.map(term => Math.abs(Number(term.adds)) || 0));
  if (step.terms.length > 1) {
    const titles = element("div", "ew-term ew-titles", table);
    for (const title of ["", "adds", "", "sum so far"]) element("div", "", titles, title);
  }
  for (const term of step.terms) addTerm(table, term, most, colours, go);
  if (step.folded) {
    const row = element("div", "ew-term ew-folded", table);
    element("div", "", row, `${step.folded[0]} smaller terms`);
    element("div", "ew-adds", row, written(step.folded[1]));
    element("div", "", row);
    element("div", "ew-running", row, written(step.value));
  }
}

export default function (component) {
  const { trail, words, shown, result, difference, note, steps, colours } = component.data;
  const host = component.parentElement.querySelector(".ew-derivation");
  const go = cell => component.setTriggerValue("go", cell);
  host.replaceChildren();
  addTrail(host, trail, go);
  const head = element("div", "ew-result", host);
  element("span", "", head, words);
  element("b", "", head, `= ${written(shown)}`);
  if (difference !== null) {
    element("small", "", head, `recomputed ${written(result)}, Δ ${written(difference, 1)}`);
  }
  if (note) element("p", "ew-note", host, note);
  for (const step of steps) addStep(host, step, colours, go);
  if (steps.length) element("div", "ew-rounded", host, ROUNDED);
}
