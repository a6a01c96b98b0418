// Presentation mode: one large panel of a line at a time, with text that can be read from the back of a room.
// @ts-check

import { TITLE_HEIGHT, plotTopMargin } from "./layout.js";
import { TEXT_SIZE } from "../labels/tick_labels.js";

/** @typedef {import("./panel.js").Panel} Panel */

export const SMALLEST_FONT = 16;  // pixels
const HEAD = 104;           // pixels for the buttons and the title, and for a line of text above that may arrive later
const LARGEST_TOP = 320;     // pixels; a line further down the page is read after scrolling, when it is at SCROLLED_TOP
const SCROLLED_TOP = 124;    // pixels; the scroll margin in presentation.css
const LARGEST_GROWTH = 2.5;  // of the height of a plot
const SMALLEST_HEIGHT = 440; // pixels of a figure, even if the page then scrolls
const MAX_ROWS = 32;         // rows that all have a label, even if the figure is then taller than the window
const MAX_LABEL = 12;        // letters of a label

/**
 * The same value with every size in a font raised to SMALLEST_FONT.
 * @param {any} value
 * @param {boolean} [isFont]
 * @returns {any}
 */
function raiseFonts(value, isFont = false) {
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(part => raiseFonts(part));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [
    name, isFont && name === "size" ? Math.max(SMALLEST_FONT, part) : raiseFonts(part, name.toLowerCase().endsWith("font")),
  ]));
}

/**
 * The pixels of the window that a panel of the line can fill.
 * @param {HTMLElement} host
 */
export function availableHeight(host) {
  const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
  const top = host.getBoundingClientRect().top + scrolled;
  return Math.round(window.innerHeight - (top > LARGEST_TOP ? SCROLLED_TOP : top) - HEAD);
}

/**
 * The panel with large text, the margins that the text needs, and a larger height.
 * @param {Panel} panel
 * @param {number} available  pixels
 * @returns {Panel}
 */
export function enlarge(panel, available) {
  const { layout } = panel, growth = SMALLEST_FONT / TEXT_SIZE;
  const { l, r, t, b } = layout.margin;
  const margin = { l: Math.round(l * growth), r: Math.round(r * growth), t, b: Math.round(b * growth) };
  const yaxis = withAllRows(panel, raiseFonts(layout.yaxis));
  const rows = yaxis?.ticktext?.length ?? 0;
  const around = plotTopMargin(t) + margin.b + TITLE_HEIGHT;
  const forLabels = rows > MAX_ROWS ? 0 : rows * (SMALLEST_FONT + 1) + around;
  const largest = LARGEST_GROWTH * layout.height;
  const height = Math.max(forLabels, Math.min(largest, Math.max(available, SMALLEST_HEIGHT)));
  return {
    ...panel,
    data: panel.data.map(({ x, y, z, ...others }) => ({ x, y, z, ...raiseFonts(others) })),
    layout: { ...raiseFonts(layout), yaxis, margin, height: Math.round(height) },
  };
}

/**
 * The y axis with a label for each row of a mosaic of one row of tiles: encoder_core leaves out those without room.
 * @param {Panel} panel
 * @param {PlotAxis | undefined} yaxis
 * @returns {PlotAxis | undefined}
 */
function withAllRows({ rows, tiles }, yaxis) {
  if (!rows || !tiles || tiles.rows.names.join("") || !yaxis?.ticktext) return yaxis;
  return { ...yaxis, tickvals: rows.names.map((_, row) => row), ticktext: rows.names.map(labelOf) };
}

// As `label` of encoder_core/figures/base.py: Plotly renders some HTML.
/** @type {(name: string) => string} */
function labelOf(name) {
  const text = name.length <= MAX_LABEL ? name : `${name.slice(0, MAX_LABEL - 1)}…`;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * The panel as it is drawn: larger in presentation mode.
 * @param {import("../plot.js").PlotLine} line
 * @param {Panel} panel
 * @returns {Panel}
 */
export const drawnPanel = ({ present, available }, panel) => present ? enlarge(panel, available) : panel;
