// How a line of panels shares its width. What is left beside labels and margins is shared by the weights of the panels, so
// that matrices of one shape have one size; but no panel is narrower than its title, colour bar and labels need.
// @ts-check

import { SMALL_MARGIN } from "./layout.js";
import { LEAST_AREA, LEAST_LABELS } from "../labels/row_labels.js";

/** @typedef {import("./panel.js").Panel} Panel */

// Pixels of a panel with room for its title and its colour bar; plot.css hides narrower bars.
const SYMBOL_AND_BAR = 100;   // a title of at most SYMBOL letters, such as W_Q
const WORD_AND_BAR = 118;     // a longer one
export const SYMBOL = 3;
const MARKED_NUMBER = 160;    // the same with the number of the marked cell; without room for both, the number stays
const LETTER_WIDTH = 10.5;    // of an operator, in pixels
const OPERATOR_WIDTH = 20;    // of an operator with one letter, as in plot.css
const GAP = 2;                // between two elements of the line, as in plot.css
const MOST_TAKEN = 0.85;      // of the width of all panels: the rest goes to the panels with many columns

/**
 * A panel of a line, whether it has row labels, and whether its title line has the number of the marked cell.
 * @typedef {{ operator: string, panel: Panel, hasRowLabels: boolean, isMarked: boolean }} LineItem
 */

/**
 * What there is to be room for, beside labels and cells.
 * @typedef {"all" | "bar or number" | "cells"} Room
 */

/**
 * The least width of a panel in pixels; 0 for charts, whose numbers Plotly thins.
 * @param {LineItem} item
 * @param {Room} room
 */
function leastWidth({ panel: { rows, kind, layout, title }, hasRowLabels, isMarked }, room) {
  if (!rows) return 0;
  const { l, r } = layout.margin;
  const needed = (hasRowLabels ? Math.min(l, LEAST_LABELS) : SMALL_MARGIN) + r + LEAST_AREA;
  if (room === "cells" || kind === "row_bars") return needed;
  const withBar = title.length <= SYMBOL ? SYMBOL_AND_BAR : WORD_AND_BAR;
  return Math.max(needed, isMarked && room === "all" ? MARKED_NUMBER : withBar);
}

/** @type {(item: LineItem) => number} */
const marginWidth = ({ panel: { layout: { margin: { l, r } } }, hasRowLabels }) => (hasRowLabels ? l : SMALL_MARGIN) + r;

/** @type {(numbers: number[]) => number} */
const sum = numbers => numbers.reduce((total, number) => total + number, 0);

/** @type {(operator: string) => number} */
const operatorWidth = operator => operator ? GAP + Math.max(OPERATOR_WIDTH,
  LETTER_WIDTH * Math.max(...operator.split("\n").map(text => text.length))) : 0;

// Of all panels together, in a line of this width.
/** @type {(items: LineItem[], width: number) => number} */
const availableWidth = (items, width) =>
  Math.max(0, width - sum(items.map(({ operator }) => GAP + operatorWidth(operator))));

/** @type {(items: LineItem[], room: Room) => number[]} */
const leastWidths = (items, room) => items.map(item => leastWidth(item, room));

/**
 * Whether a panel of a line would have neither its colour bar nor the number of its marked cell.
 * @param {LineItem[]} items
 * @param {number} width  of the line
 * @returns {boolean}
 */
export const isCrowded = (items, width) =>
  sum(leastWidths(items, "bar or number")) > availableWidth(items, width);

/**
 * The share of each panel in the width that is left, and in pixels its margins and its least width. A line without room for
 * all colour bars keeps those of panels without a marked number; without room for these, too, it keeps room for cells.
 * @param {LineItem[]} items
 * @param {number} width  of the line
 * @returns {{ grow: number, margins: number, least: number }[]}
 */
export function panelWidths(items, width) {
  const all = availableWidth(items, width), most = leastWidths(items, "all");
  const fewer = sum(most) > MOST_TAKEN * all && !isCrowded(items, width);
  const available = fewer ? all : MOST_TAKEN * all;
  const least = fewer ? leastWidths(items, "bar or number") : sum(most) <= available ? most : leastWidths(items, "cells");
  const ratio = Math.min(1, available / Math.max(1, sum(least)));
  const fitting = least.map(pixels => Math.floor(ratio * pixels)), margins = items.map(marginWidth);
  const fit = sum(margins.map((pixels, i) => Math.max(pixels, fitting[i]))) <= available;  // else the line would wrap
  return items.map(({ panel }, i) => ({ grow: panel.weight, margins: fit ? margins[i] : 0, least: fitting[i] }));
}
