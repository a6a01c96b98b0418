// The text of a cell under the mouse: its position, its number, and the sum that gives the number. The browser computes
// it from the panels of the line, without a request to the server.
// @ts-check

import { formatNumber, roundNumber } from "../../shared/numbers.js";
import { cellAt } from "../panel/panel.js";

/**
 * @typedef {import("../panel/panel.js").Axis} Axis
 * @typedef {import("../panel/panel.js").Panel} Panel
 * @typedef {import("../panel/panel.js").MatrixPanel} MatrixPanel
 * @typedef {import("../panel/panel.js").Product} Product
 * @typedef {import("../plot.js").PlotLine} PlotLine
 *
 * A cell of a plot, and where the mouse was then, in pixels of the line.
 * @typedef {{ plot: PlotElement, x: number, y: number, left: number, top: number }} Hovered
 */

const TERMS = 3;             // terms of a sum that are written out
const MOUSE_OFFSET = { left: 14, top: 16 };  // pixels from the mouse to the tooltip
const EDGE = 4;              // pixels between the tooltip and the right edge of the line

/** @type {(value: number) => string} */
const formatFactor = value => value < 0 ? `(${formatNumber(value)})` : formatNumber(value);

/**
 * The sum of a cell of a product of two panels, its largest terms first. It ends with the cell's own value.
 * @param {Panel[]} panels
 * @param {MatrixPanel} panel
 * @param {Product} product
 * @param {number} row
 * @param {number} column
 */
function formatSum(panels, panel, product, row, column) {
  const [left, right] = [panels[product.left], panels[product.right]].map(({ values }) => values ?? []);
  const terms = Array.from(left[row], (factor, i) => [factor || 0, right[i][column] || 0]);
  terms.sort((one, other) => Math.abs(other[0] * other[1]) - Math.abs(one[0] * one[1]));
  const largest = terms.slice(0, TERMS).map(([a, b]) => `${formatFactor(a)} · ${formatFactor(b)}`).join(" + ");
  const rest = terms.length > TERMS ? ` + ${terms.length - TERMS} more` : "";
  const sum = product.factor === 1 ? largest + rest : `(${largest}${rest}) · ${formatNumber(product.factor)}`;
  const value = panel.values[row][column], result = formatNumber(value);
  const written = terms.reduce((total, [a, b]) => total + roundNumber(a) * roundNumber(b), 0) * roundNumber(product.factor);
  const isExact = terms.length > TERMS || formatNumber(written) === result;
  return `${sum} ${isExact ? "=" : "≈"} ${result}`;
}

/**
 * The name of the place that a cell shows. A bin shows the place `offset` places after its first.
 * @param {Axis} axis
 * @param {number} cell
 * @param {number} offset
 */
function placeName(axis, cell, offset) {
  if (axis.size === 1) return axis.names[cell];
  const place = axis.start + cell * axis.size + offset;
  return axis.labels[place] ?? place;
}

/**
 * @param {MatrixPanel} panel
 * @param {number} row
 * @param {number} column
 * @param {number} offset
 */
function formatPosition({ rows, columns }, row, column, offset) {
  const rowName = placeName(rows, row, Math.floor(offset / columns.size));
  const columnName = placeName(columns, column, offset % columns.size);
  const binNote = rows.size * columns.size > 1 ? ", the largest of its bin" : "";
  return `${rows.title} ${rowName}`.trimStart() + " · " + `${columns.title} ${columnName}`.trimStart() + binNote;
}

/**
 * What a cell says instead of its number; none for most panels.
 * @param {PlotPoint} point
 * @param {number} row
 * @param {number} column
 * @returns {string[]}
 */
function cellText({ data }, row, column) {
  const text = data.hovertext?.[row]?.[column];
  return text ? [text] : [];
}

/**
 * The text of a cell, in lines: its position, its number, and in a product the sum, except of masked and edited cells.
 * @param {Panel[]} panels  of the line
 * @param {MatrixPanel} panel
 * @param {number} row
 * @param {number} column
 * @param {number} [offset]  the number in its bin that the cell shows, counted row by row
 * @param {number} [value]
 * @returns {string[]}
 */
export function describeCell(panels, panel, row, column, offset = 0, value = panel.values[row][column]) {
  const position = formatPosition(panel, row, column, offset);
  if (Number.isNaN(value)) return [position, "masked"];
  if (panel.setByHand.some(cell => cell[0] === row && cell[1] === column)) {
    return [position, `${formatNumber(value)}, set by hand`];
  }
  const sum = panel.product ? [formatSum(panels, panel, panel.product, row, column)] : [];
  return [position, formatNumber(value), ...sum];
}

/**
 * The name of a row or column of tiles. Titles beside each other are "head 1", "2", "3", or "1", "2" where there is little
 * room; alone, a number would not say what it counts.
 * @param {import("../panel/panel.js").Axis} axis
 * @param {number} index
 * @returns {string}
 */
function tileName({ title, names }, index) {
  if (!/^\d+$/.test(names[index])) return names[index];
  const named = names.slice(0, index).reverse().find(name => /\D/.test(name));
  return `${named?.replace(/\s*\d+$/, "") ?? title} ${names[index]}`.trimStart();
}

/**
 * The text of the tooltip at a point of a heatmap; in a mosaic, it begins with the names of the tile.
 * @param {Panel[]} panels
 * @param {MatrixPanel} panel
 * @param {PlotPoint} point
 * @returns {string}
 */
export function tooltipText(panels, panel, point) {
  const { row, column, tile } = cellAt(panel, point);
  const { tiles } = panel;
  const names = tiles && tile ? [tileName(tiles.rows, tile[0]), tileName(tiles.columns, tile[1])].filter(Boolean) : [];
  const value = point.data.name === "masked" ? NaN : point.z;
  const [position, ...lines] = describeCell(panels, panel, row, column, Number(point.customdata ?? 0), value);
  const text = cellText(point, row, column);
  const beyond = Math.abs(value ?? 0) > (point.data.zmax ?? Infinity) * (1 + 1e-6) ? ["• beyond the colour scale"] : [];
  return [...(names.length ? [names.join(", ")] : []), position, ...text, ...lines, ...beyond].join("\n");
}

/**
 * Show the tooltip of the cell under the mouse. A finger does not rest on a cell: the figure is repainted because of its tap,
 * and the mouse event that a browser makes of the tap can come later than that.
 * @param {PlotLine} line
 * @param {PlotElement} plot
 * @param {Panel} panel
 * @param {PlotMouseEvent} event
 */
export function showTooltip(line, plot, panel, event) {
  const { host, items, tooltip } = line;
  if (matchMedia("(hover: none)").matches) return;
  const point = event.points.find(({ data }) => data.type === "heatmap");
  if (!point || !panel.rows) return;
  tooltip.textContent = tooltipText(items.map(item => item.panel), /** @type {MatrixPanel} */ (panel), point);
  const bounds = host.getBoundingClientRect(), mouse = event.event;
  const left = Math.min(mouse.clientX - bounds.left + MOUSE_OFFSET.left, bounds.width - tooltip.offsetWidth - EDGE);
  tooltip.style.left = `${Math.max(0, left)}px`;
  tooltip.style.top = `${mouse.clientY - bounds.top + MOUSE_OFFSET.top}px`;
  tooltip.style.visibility = "visible";
  line.hovered = { plot, x: point.x, y: point.y, left: mouse.clientX - bounds.left, top: mouse.clientY - bounds.top };
}

/** @type {(line: PlotLine) => void} */
export function hideTooltip(line) {
  line.tooltip.style.visibility = "hidden";
  line.hovered = null;
}

/**
 * Show the tooltip of the same cell with the number that it has now. As long as the mouse stays in a cell, Plotly reports
 * it once. The cell counts, not its place in the window, which may have moved since a click.
 * @param {PlotLine} line
 * @param {PlotElement} plot  just repainted
 * @param {Plotly} plotly
 */
export function hoverAgain(line, plot, plotly) {
  const { host, hovered } = line;
  if (hovered?.plot !== plot) return;
  plotly.Fx.unhover(plot);
  const target = plot.querySelector(".nsewdrag");  // the area between the axes
  if (!target) return;
  const { left, top } = host.getBoundingClientRect();
  const place = { clientX: left + hovered.left, clientY: top + hovered.top };
  plotly.Fx.hover(plot, { ...place, target, xval: hovered.x, yval: hovered.y }, "xy");
}
