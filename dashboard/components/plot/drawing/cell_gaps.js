// The gaps between the cells of a heatmap, as lines over its picture. With gaps of its own, Plotly draws and encodes a
// picture with all pixels of the figure, which takes a fifth of a repaint; without them it needs one pixel for each cell.
// @ts-check

import { createSvg } from "../../shared/dom.js";

/** @typedef {import("../panel/panel.js").Area} Area */

/**
 * The traces as Plotly draws them: without what `renderGaps` draws.
 * @param {PlotTrace[]} data
 * @returns {PlotTrace[]}
 */
export const withoutGaps = data =>
  data.map(trace => trace.type === "heatmap" ? { ...trace, xgap: 0, ygap: 0 } : trace);

/**
 * The middle of a line of one pixel that covers the border at `pixels` and begins where a pixel of the screen does.
 * @param {number} pixels
 * @param {number} density  pixels of the screen for each pixel of the page
 */
export const middleOfLine = (pixels, density) => Math.round((pixels - 0.5) * density) / density + 0.5;

/**
 * The function from a value of an axis to its pixels. It rounds to hundredths: a rounding error could otherwise move a line
 * by a pixel of the screen.
 * @param {number} from  the value at the left or the top
 * @param {number} to
 * @param {number} length  of the axis in pixels
 * @returns {(value: number) => number}
 */
const pixelsOnAxis = (from, to, length) => value => Math.round((value - from) / (to - from) * length * 100) / 100;

/**
 * The path of the lines between `count` cells.
 * @param {number} count
 * @param {(value: number) => number} toPixels  of a place along the axis; cell i reaches from i - 0.5 to i + 0.5
 * @param {(pixels: number) => string} line  the path of the line there
 */
const linesBetween = (count, toPixels, line) => Array.from(
  { length: Math.max(0, count - 1) }, (_, i) => line(middleOfLine(toPixels(i + 0.5), window.devicePixelRatio)),
).join("");

/**
 * Render the gaps of a plot's heatmap, for the ranges to which it is zoomed.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data  with the gaps
 * @param {string | undefined} colour
 * @param {Area} area
 */
export function renderGaps(plot, data, colour, area) {
  const layer = plot.querySelector(".heatmaplayer"), heatmap = data.find(({ type }) => type === "heatmap");
  const existing = plot.querySelector(".ew-gaps");
  if (!layer || !(heatmap?.xgap || heatmap?.ygap)) {
    existing?.remove();
    return;
  }
  const { xaxis, yaxis } = plot.layout, rows = heatmap.z.length, columns = heatmap.z[0].length;
  const [first, last] = xaxis?.range ?? [0, 1], [lowest, highest] = yaxis?.range ?? [0, 1];
  const toX = pixelsOnAxis(first, last, area.width), toY = pixelsOnAxis(highest, lowest, area.height);
  const path = existing ?? createSvg("path");
  const [left, right] = [-0.5, columns - 0.5].map(toX), [top, bottom] = [-0.5, rows - 0.5].map(toY);
  const upright = heatmap.xgap ? linesBetween(columns, toX, x => `M${x},${top}V${bottom}`) : "";
  const level = heatmap.ygap ? linesBetween(rows, toY, y => `M${left},${y}H${right}`) : "";
  path.setAttribute("class", "ew-gaps");
  path.setAttribute("d", upright + level);
  path.setAttribute("stroke", colour ?? "none");
  layer.append(path);  // after the pictures: a line of Plotly's outlines is in another layer
}
