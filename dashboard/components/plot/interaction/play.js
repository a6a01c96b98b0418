// Reveals the product of two matrices cell by cell: the first cells slowly, with the sum of each as a caption, then
// faster and faster.
// @ts-check

import { setLabel } from "../../shared/dom.js";

/**
 * A canvas over the cells of a panel, with the ranges of the axes as they are zoomed.
 * @typedef {object} Layer
 * @property {HTMLCanvasElement} canvas
 * @property {CanvasRenderingContext2D} context
 * @property {import("../panel/panel.js").Area} area
 * @property {number[]} xRange
 * @property {number[]} yRange
 *
 * @typedef {[number, number]} Span  the first and the last of some rows or columns
 */

const SLOW_CELLS = 3;             // the cells with time to read their captions
const READING_TIME = 1800;        // milliseconds for each of these
const PAUSE_RATIO = 0.82;         // the time of each later cell, relative to the cell before
const SHORTEST_PAUSE = 14;        // milliseconds
const SHORTEST_ANNOUNCED = 120;   // milliseconds; screen readers do not announce captions that stay shorter

/**
 * How long each cell of a product stays the last one revealed.
 * @param {number} index  of the cell, row by row
 * @returns {number} milliseconds
 */
export function cellPause(index) {
  const faster = Math.max(0, index - SLOW_CELLS + 1);
  return Math.max(SHORTEST_PAUSE, READING_TIME * PAUSE_RATIO ** faster);
}

/** @type {(panelElements: import("../panel/panel_elements.js").PanelElements, colour: string | undefined) => Layer} */
function addLayer({ plot, area }, colour) {
  if (!area || !plot.layout.xaxis?.range || !plot.layout.yaxis?.range) throw new Error("The panel is not painted.");
  const canvas = document.createElement("canvas");
  canvas.className = "ew-cover";
  Object.assign(canvas, { width: Math.ceil(area.width), height: Math.ceil(area.height) });
  Object.assign(canvas.style, { left: `${area.left}px`, top: `${area.top}px` });
  plot.append(canvas);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (colour) {
    context.fillStyle = colour;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return { canvas, context, area, xRange: plot.layout.xaxis.range, yRange: plot.layout.yaxis.range };
}

/**
 * The rectangle of some cells on a layer in pixels: left, top, width, height.
 * @param {Pick<Layer, "area" | "xRange" | "yRange">} layer
 * @param {Span} rows
 * @param {Span} columns
 * @returns {[number, number, number, number]}
 */
export function cellRectangle({ area, xRange, yRange }, [firstRow, lastRow], [firstColumn, lastColumn]) {
  /** @type {(value: number, from: number, to: number, pixels: number) => number} */
  const toPixels = (value, from, to, pixels) => (value - from) / (to - from) * pixels;
  const [x0, x1] = [firstColumn - 0.5, lastColumn + 0.5].map(x => toPixels(x, xRange[0], xRange[1], area.width));
  const [y0, y1] = [firstRow - 0.5, lastRow + 0.5].map(y => toPixels(y, yRange[1], yRange[0], area.height));
  return [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)];
}

/** @type {(layer: Layer, rows: Span, columns: Span, colour: string) => void} */
function outlineCells(layer, rows, columns, colour) {
  layer.context.clearRect(0, 0, layer.canvas.width, layer.canvas.height);
  layer.context.strokeStyle = colour;
  layer.context.lineWidth = 2.5;
  layer.context.strokeRect(...cellRectangle(layer, rows, columns));
}

/**
 * Reveal the product cell by cell. While it plays, a second call pauses it and a third one continues.
 * @param {import("../plot.js").PlotLine} line
 * @param {number} index  of the panel that is the product
 * @param {(row: number, column: number) => string} captionOf
 */
export function play(line, index, captionOf) {
  if (line.playback) return line.playback.toggle();
  const { panel } = line.items[index], { playButton, skipButton, caption } = line.player;
  const { product, rows, columns } = panel;
  const terms = product && line.items[product.left].panel.columns;
  if (!product || !terms || !rows || !columns) return;
  const label = caption.textContent ?? "", rowCount = rows.names.length, columnCount = columns.names.length;
  const result = addLayer(line.panelElements[index], panel.layout.plot_bgcolor);
  // On a phone, an operand is not painted before the user looks at it.
  const [left, right] = [product.left, product.right].map(
    operand => line.panelElements[operand].area ? addLayer(line.panelElements[operand], undefined) : null);
  const lastTerm = terms.names.length - 1;
  const colour = getComputedStyle(caption).color;
  let revealed = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @type {(text: string, symbol: string) => void} */
  function labelPlayButton(text, symbol) {
    playButton.textContent = symbol;
    setLabel(playButton, text);
  }
  function revealNext() {
    if (revealed >= rowCount * columnCount) return stop();
    const row = Math.floor(revealed / columnCount), column = revealed % columnCount;
    const pause = cellPause(revealed);
    result.context.clearRect(...cellRectangle(result, [row, row], [column, column]));
    if (left) outlineCells(left, [row, row], [0, lastTerm], colour);
    if (right) outlineCells(right, [0, lastTerm], [column, column], colour);
    caption.setAttribute("aria-live", pause > SHORTEST_ANNOUNCED ? "polite" : "off");
    caption.textContent = captionOf(row, column);
    revealed += 1;
    timer = setTimeout(revealNext, pause);
  }
  function stop() {
    clearTimeout(timer);
    for (const layer of [result, left, right]) layer?.canvas.remove();
    line.playback = null;
    labelPlayButton(label, "▶");
    caption.textContent = label;
    skipButton.disabled = true;
  }
  function toggle() {
    const isPaused = timer === undefined;
    clearTimeout(timer);
    timer = undefined;
    labelPlayButton(isPaused ? "Pause" : "Continue", isPaused ? "❚❚" : "▶");
    if (isPaused) revealNext();
  }
  line.playback = { stop, toggle };
  skipButton.onclick = stop;
  skipButton.disabled = false;
  labelPlayButton("Pause", "❚❚");
  revealNext();
}
