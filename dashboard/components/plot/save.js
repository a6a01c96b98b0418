// Saves one panel as a file: a picture, a page that works without a network, or the table of its numbers. The script is
// loaded at its first use.
// @ts-check

import { staticUrl } from "../dom.js";
import { TITLE_HEIGHT, fitPanel } from "./layout.js";

/**
 * @typedef {import("./panel.js").Panel} Panel
 * @typedef {import("./plot.js").PlotItem} PlotItem
 * @typedef {"PNG" | "SVG" | "HTML" | "CSV"} FileFormat
 */

const LEAST_WIDTH = 640;      // pixels
const COLOUR_BAR = 64;        // pixels of the right margin, for the colour bar
const FLOAT32_DIGITS = 9;     // significant digits that identify a float32 number
const BYTE_ORDER_MARK = "\ufeff";  // tells Excel that the table is UTF-8

/**
 * Save the panel of an item. `bundle` is the name of the published Plotly script.
 * @param {FileFormat} format
 * @param {PlotItem} item
 * @param {HTMLElement} element  whose colours the picture has
 * @param {string} bundle
 */
export async function savePanel(format, item, element, bundle) {
  const name = `${fileName(item.panel.title)}.${format.toLowerCase()}`;
  if (format === "CSV") return downloadText(name, BYTE_ORDER_MARK + toCsv(item.panel), "text/csv");
  const style = getComputedStyle(element);
  const background = style.getPropertyValue("--st-background-color") || "#ffffff";
  const colour = style.getPropertyValue("--st-text-color") || style.color;
  const { data, layout } = standaloneFigure(item.panel, Math.max(LEAST_WIDTH, element.clientWidth), background, colour);
  if (format === "HTML") {
    const script = await (await fetch(staticUrl(bundle))).text();
    const figure = { data: JSON.parse(item.json).data, layout: { ...layout, width: undefined } };
    return downloadText(name, standalonePage(item.panel, figure, script, background), "text/html");
  }
  const { width, height } = layout;
  const plotly = /** @type {Plotly} */ (window.Plotly);  // it has painted the panel
  const size = { width, height, scale: format === "PNG" ? 2 : 1 };
  startDownload(name, await plotly.toImage({ data, layout }, { format: format.toLowerCase(), ...size }));
}

/**
 * Plotly's data and layout of a panel with its title and its colour bar, which the page shows as HTML.
 * @param {Panel} panel
 * @param {number} width
 * @param {string} background
 * @param {string} colour
 */
export function standaloneFigure(panel, width, background, colour) {
  const { layout } = fitPanel(panel, width - COLOUR_BAR, false);
  const margin = { ...layout.margin, t: panel.layout.margin.t, r: layout.margin.r + COLOUR_BAR };
  const title = {
    text: escapeHtml(panel.title), x: 0, xanchor: "left", xref: "paper", y: 1, yanchor: "top", pad: { t: 12 },
    font: { size: 16, color: colour },
  };
  const size = { width, height: layout.height + TITLE_HEIGHT };
  return { data: panel.data, layout: { ...layout, ...size, margin, title, paper_bgcolor: background } };
}

/**
 * A page with the figure and Plotly's script.
 * @param {Panel} panel
 * @param {object} figure
 * @param {string} script
 * @param {string} background
 */
export function standalonePage(panel, figure, script, background) {
  const json = JSON.stringify(figure).replaceAll("<", "\\u003c");
  return [
    "<!DOCTYPE html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(panel.title)}</title>`,
    `<script>${script.replaceAll("</script", "<\\/script")}</script></head>`,
    `<body style="margin:0;background:${escapeHtml(background)}">`,
    `<div id="figure" role="img" aria-label="${escapeHtml(panel.alt)}"></div>`,
    `<script>const { data, layout } = ${json};`,
    'Plotly.newPlot("figure", data, layout, { responsive: true, displaylogo: false });</script></body></html>',
  ].join("\n");
}

/**
 * The numbers of a panel as a table of comma-separated values. A matrix keeps its rows and columns. The tiles of a
 * mosaic and the traces of other figures are one number a line.
 * @param {Panel} panel
 * @returns {string}
 */
export function toCsv(panel) {
  const { rows, columns, values, tiles } = panel;
  const bars = panel.data.find(trace => trace.type === "bar");
  if (panel.kind === "row_bars" && rows && bars) {
    const masked = new Set(panel.data.find(trace => trace.name === "masked")?.y); // like the cells of a matrix, left empty
    const value = (/** @type {number} */ row) => masked.has(row) ? NaN : bars.x[row] + (bars.base?.[row] ?? 0);
    return table([[rows.title, panel.title], ...rows.names.map((name, row) => [name, value(row)])]);
  }
  if (!values || !rows || !columns) return table([["series", "x", "y"], ...tracePoints(panel)]);
  if (!tiles) {
    const header = [`${rows.title} \\ ${columns.title}`, ...columns.names];
    return table([header, ...rows.names.map((name, row) => [name, ...Array.from(values[row])])]);
  }
  const { tall, wide, gap } = tiles;
  const lines = tiles.rows.names.flatMap((tileRow, i) => tiles.columns.names.flatMap((tileColumn, j) =>
    rows.names.flatMap((row, y) => columns.names.map((column, x) =>
      [tileRow, tileColumn, row, column, values[i * (tall + gap) + y]?.[j * (wide + gap) + x] ?? NaN]))));
  return table([[tiles.rows.title, tiles.columns.title, rows.title, columns.title, "value"], ...lines]);
}

/** @type {(panel: Panel) => (string | number)[][]} */
function tracePoints({ data }) {
  return data.flatMap(trace => Array.from(trace.y ?? [], (/** @type {number} */ y, /** @type {number} */ i) =>
    [trace.name ?? "", trace.x?.[i] ?? i, y]));
}

/** @type {(lines: (string | number)[][]) => string} */
const table = lines => lines.map(line => line.map(csvField).join(",")).join("\r\n") + "\r\n";

/**
 * A field of a table. A spreadsheet would execute a text that begins with one of these signs, such as a token "=".
 * @param {string | number} value
 */
export function csvField(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(FLOAT32_DIGITS))) : "";
  const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @type {(title: string) => string} */
const fileName = title => title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure";

/** @type {(text: string) => string} */
const escapeHtml = text =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** @type {(name: string, text: string, type: string) => void} */
function downloadText(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  startDownload(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** @type {(name: string, url: string) => void} */
function startDownload(name, url) {
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
}
