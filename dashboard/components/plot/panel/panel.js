// A panel as dashboard/components/plot/serialise.py sends it, and the position of its cells.
// @ts-check

import { unpackArray } from "../../shared/arrays.js";

const LAST = 1 - 1e-6;  // of the width or height: at the end itself, the next cell would begin

/**
 * The rows or columns of a panel: the name of each cell, and the places of the matrix that the cells stand for.
 * @typedef {object} Axis
 * @property {string} kind  "query", "dimension", ...
 * @property {string} title
 * @property {string[]} names  of the cells
 * @property {number} start  the first place
 * @property {number} size  places in each cell; more than 1 where the cells are bins
 * @property {string[]} labels  of all places, where the cells are bins; empty where the places are numbered from 0
 *
 * The tiles of a mosaic: their rows and columns, the size of each tile, and the gap between two tiles, in cells.
 * @typedef {{ rows: Axis, columns: Axis, tall: number, wide: number, gap: number }} Tiles
 *
 * factor * (left @ right), where `left` and `right` are indices of panels of the same line.
 * @typedef {{ left: number, right: number, factor: number }} Product
 *
 * @typedef {object} PanelDescription
 * @property {string} kind  "heatmap", "mosaic", "row_bars", "bars", "curves", "band", "flow" or "points"
 * @property {string} title
 * @property {string | null} titleColour
 * @property {string} alt
 * @property {number} weight  the width of the panel, relative to the other panels
 * @property {Axis | null} rows
 * @property {Axis | null} columns
 * @property {Tiles | null} tiles
 * @property {Product | null} product
 * @property {boolean} isInspected  whether one of its cells is the inspected cell
 * @property {boolean} opensNext  whether the next panel of the line shows the selected tile enlarged
 * @property {[number, number][]} setByHand  cells (row, column) with an edited value
 * @property {[number | null, number | null][]} marked  outlined cells; null marks a whole row or column
 * @property {number[]} [missing]  bars that are no finite number, and have no length
 * @property {PlotTrace[]} data  Plotly's traces
 * @property {PlotLayout} layout  Plotly's layout
 *
 * A panel, with the numbers of its cells if it has a heatmap. They are NaN where masked.
 * @typedef {PanelDescription & { values?: import("../../shared/arrays.js").Matrix }} Panel
 *
 * A panel with cells that are numbers.
 * @typedef {Panel & { rows: Axis, columns: Axis, values: import("../../shared/arrays.js").Matrix }} MatrixPanel
 *
 * The area between the axes of a plot, in pixels of the plot.
 * @typedef {{ left: number, top: number, width: number, height: number }} Area
 *
 * The position of a cell: in a mosaic, `row` and `column` are counted within the tile (row, column).
 * @typedef {{ row: number, column: number, tile: [number, number] | null }} CellPosition
 */

// Faster than a reviver of JSON.parse, which would also be called for each name and each place of an axis.
/** @type {(attributes: { [attribute: string]: any }) => void} */
function unpackArrays(attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value?.bdata) attributes[name] = unpackArray(value);
    else if (typeof value === "object" && value && !Array.isArray(value)) unpackArrays(value);
  }
}

/**
 * A panel from its JSON, with the arrays of its traces unpacked.
 * @param {string} json
 * @returns {Panel}
 */
export function parsePanel(json) {
  /** @type {Panel} */
  const panel = JSON.parse(json);
  panel.data.forEach(unpackArrays);
  panel.values = panel.data.find(trace => trace.type === "heatmap" && trace.name !== "masked")?.z;
  return panel;
}

/**
 * The cell at a point of a plot, which has its x and y in cells. A point in a plane has its number as `customdata`.
 * @param {Panel} panel
 * @param {{ x: number, y: number, customdata?: number }} point
 * @returns {CellPosition}
 */
export function cellAt(panel, point) {
  if (panel.kind === "points") return { row: 0, column: point.customdata ?? 0, tile: null };
  const x = Math.round(point.x), y = Math.round(point.y);
  if (!panel.rows) return { row: 0, column: x, tile: null };
  if (panel.kind === "row_bars") return { row: y, column: 0, tile: null };
  if (!panel.tiles) return { row: y, column: x, tile: null };
  const { tall, wide, gap } = panel.tiles;
  return {
    row: y % (tall + gap),
    column: x % (wide + gap),
    tile: [Math.floor(y / (tall + gap)), Math.floor(x / (wide + gap))],
  };
}

/**
 * The point of a plot at a place of the window, in cells. Plotly's own may be that of a place 50 ms ago.
 * @param {PlotElement} plot
 * @param {Area} area
 * @param {{ left: number, top: number }} place  in pixels of the window
 */
export function pointAt(plot, area, place) {
  const bounds = plot.getBoundingClientRect(), { xaxis, yaxis } = plot.layout;
  /** @type {(share: number, from: number, to: number) => number} */
  const between = (share, from, to) => from + Math.min(LAST, Math.max(0, share)) * (to - from);
  const [left, right] = xaxis?.range ?? [0, 0], [bottom, top] = yaxis?.range ?? [0, 0];
  return {
    x: between((place.left - bounds.left - area.left) / area.width, left, right),
    y: between((place.top - bounds.top - area.top) / area.height, top, bottom),
  };
}
