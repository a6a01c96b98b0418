// How a line of panels shares its width: by the weights of the panels, but no panel is narrower than its title, colour bar
// and labels need.
// @ts-check

import { LEAST_AREA, LEAST_LABELS } from "./row_labels.js";

/** @typedef {import("./panel.js").Panel} Panel */

const ROW_LABEL_WEIGHT = 6;   // the width of row labels, in the unit of a panel's weight
const COLOUR_BAR = 118;       // pixels of a panel with room for a short title and its colour bar; plot.css hides narrower bars
const MARKED_NUMBER = 142;    // the same with the number of the marked cell
const BARE_MARGIN = 4;        // pixels at the left of a panel without row labels
const LETTER_WIDTH = 10.5;    // of an operator, in pixels
const OPERATOR_WIDTH = 20;    // of an operator with one letter, as in plot.css
const GAP = 2;                // between two elements of the line, as in plot.css
const MOST_TAKEN = 0.85;      // of the width of all panels: the rest goes to the panels with many columns

/**
 * The least width of one panel in pixels; 0 for charts, whose numbers Plotly thins.
 * @param {Panel} panel
 * @param {boolean} hasRowLabels
 * @param {boolean} isMarked  whether its title has the number of the marked cell
 */
function leastWidth({ rows, kind, layout }, hasRowLabels, isMarked) {
  if (!rows) return 0;
  const { l, r } = layout.margin;
  const needed = (hasRowLabels ? Math.min(l, LEAST_LABELS) : BARE_MARGIN) + r + LEAST_AREA;
  return kind === "row_bars" ? needed : Math.max(needed, isMarked ? MARKED_NUMBER : COLOUR_BAR);
}

/** @type {(operator: string) => number} */
const operatorWidth = operator => operator ? GAP + Math.max(OPERATOR_WIDTH,
  LETTER_WIDTH * Math.max(...operator.split("\n").map(text => text.length))) : 0;

/**
 * The share of each panel in the width that is left, and its least width in pixels.
 * @param {{ operator: string, panel: Panel, hasRowLabels: boolean, isMarked: boolean }[]} items
 * @param {number} width  of the line
 * @returns {{ grow: number, least: number }[]}
 */
export function panelWidths(items, width) {
  const least = items.map(({ panel, hasRowLabels, isMarked }) => leastWidth(panel, hasRowLabels, isMarked));
  const available = items.reduce((rest, { operator }) => rest - GAP - operatorWidth(operator), width);
  const ratio = Math.min(1, Math.max(0, MOST_TAKEN * available) / least.reduce((sum, pixels) => sum + pixels, 1));
  return items.map(({ panel, hasRowLabels }, i) => (
    { grow: panel.weight + (hasRowLabels ? ROW_LABEL_WEIGHT : 0), least: Math.floor(ratio * least[i]) }
  ));
}
