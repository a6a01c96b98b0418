// Where the figures of a line have no room side by side, they are shown one at a time. The switcher above them reads like
// the line: a button for each figure, with the operators between them, and beside it the number of the marked cell.
// @ts-check

import { appendElement, setText } from "../../shared/dom.js";
import { formatNumber } from "../../shared/numbers.js";
import { plotHeight } from "./layout.js";
import { markedValue } from "./panel_elements.js";

/**
 * @typedef {import("../plot.js").PlotItem} PlotItem
 * @typedef {import("./panel.js").Panel} Panel
 */

const MOST_STACKED = 480;  // pixels; figures that are not higher together stay below each other

/**
 * Whether a narrow line shows one figure at a time.
 * @param {Panel[]} panels
 * @returns {boolean}
 */
export function isSwitched(panels) {
  return panels.length > 1 && panels.reduce((sum, panel) => sum + plotHeight(panel), 0) > MOST_STACKED;
}

/**
 * The figure to show. It is the one that the user has chosen, until another figure has the inspected cell.
 * @param {Panel[]} panels
 * @param {Panel[]} before  the panels of the last update; none at the first
 * @param {number} shown  the index of the figure on screen
 * @param {boolean} [opensAtFirst]  whether it is the first one, whatever is inspected
 * @returns {number}
 */
export function figureToShow(panels, before, shown, opensAtFirst = false) {
  if (opensAtFirst) return 0;
  const inspected = indicesOfInspected(panels);
  const isMoved = inspected.join() !== indicesOfInspected(before).join();
  if (isMoved && inspected.length && !inspected.includes(shown)) return inspected[0];
  return shown < panels.length ? shown : 0;
}

/** @type {(panels: Panel[]) => number[]} */
const indicesOfInspected = panels => panels.flatMap(({ isInspected }, index) => isInspected ? [index] : []);

/**
 * Append an empty switcher.
 * @param {HTMLElement} host
 * @returns {HTMLElement}
 */
export function appendSwitcher(host) {
  const switcher = appendElement(host, "div", "ew-switcher");
  switcher.setAttribute("role", "group");
  switcher.setAttribute("aria-label", "Figure to show");
  return switcher;
}

/**
 * Show a button for each figure. The buttons stay while their number stays, so that the focus of the keyboard stays.
 * @param {HTMLElement} switcher
 * @param {PlotItem[]} items
 * @param {number} shown
 * @param {(index: number) => void} choose
 */
export function updateSwitcher(switcher, items, shown, choose) {
  if (switcher.querySelectorAll("button").length !== items.length) {
    switcher.replaceChildren();
    for (const _ of items) {
      const pair = appendElement(switcher, "div");  // so that no line ends with an operator
      appendElement(pair, "span");
      appendElement(pair, "button").type = "button";
      appendElement(pair, "data", "ew-marked");  // not in the button, whose name stays when the number changes
    }
  }
  const operators = switcher.querySelectorAll("span"), buttons = switcher.querySelectorAll("button");
  const numbers = switcher.querySelectorAll("data");
  items.forEach(({ operator, panel }, index) => {
    const marked = markedValue(panel);
    setText(numbers[index], marked === undefined ? "" : formatNumber(marked));
    operators[index].dataset.sign = operator;
    setText(operators[index], operator === "|" ? "" : operator);
    setText(buttons[index], panel.title);
    buttons[index].style.color = panel.titleColour ?? "";
    buttons[index].setAttribute("aria-pressed", String(index === shown));
    buttons[index].onclick = () => choose(index);
  });
}
