// Saves one panel as a file: a picture, a page that works without a network, or the table of its numbers. The script is
// loaded at its first use.
// @ts-check

import { staticUrl } from "../../shared/dom.js";
import { toCsv } from "./csv.js";
import { fontRule } from "./font.js";
import { TITLE_HEIGHT, fitPanel } from "../panel/layout.js";

/**
 * @typedef {import("../panel/panel.js").Panel} Panel
 * @typedef {import("../plot.js").PlotItem} PlotItem
 * @typedef {"PNG" | "SVG" | "HTML" | "CSV"} FileFormat
 * @typedef {{ data: PlotTrace[], layout: PlotLayout }} Figure
 */

const LEAST_WIDTH = 640;      // pixels
const COLOUR_BAR = 64;        // pixels of the right margin, for the colour bar
const PIXELS = 2;             // of a saved picture, for each of the page
const FITTED = ["xgap", "ygap", "text", "textposition", "texttemplate"];  // what `fitPanel` changes of a trace to fit
const BYTE_ORDER_MARK = "\ufeff";  // tells Excel that the table is UTF-8

/**
 * Save the panel of an item. `bundle` is the name of the published Plotly script.
 * @param {FileFormat} format
 * @param {PlotItem} item
 * @param {HTMLElement} element  whose colours the picture has
 * @param {string} bundle
 */
export async function savePanel(format, item, element, bundle) {
  const { panel } = item, name = `${fileName(panel.title)}.${format.toLowerCase()}`;
  if (format === "CSV") return downloadText(name, BYTE_ORDER_MARK + toCsv(panel), "text/csv");
  const style = getComputedStyle(element);
  const background = style.getPropertyValue("--st-background-color") || "#ffffff";
  const colour = style.getPropertyValue("--st-text-color") || style.color;
  const figure = standaloneFigure(panel, Math.max(LEAST_WIDTH, element.clientWidth), background, colour);
  const font = await fontRule();
  if (format === "HTML") {
    const script = await (await fetch(staticUrl(bundle))).text();
    const data = withFit(JSON.parse(item.json).data, figure.data);
    const page = standalonePage(panel, { data, layout: figure.layout }, script, background, font);
    return downloadText(name, page, "text/html");
  }
  const svg = await toSvg(figure, font);
  if (format === "SVG") return downloadText(name, svg, "image/svg+xml");
  downloadBlob(name, await toPng(svg, figure.layout));
}

/**
 * Plotly's data and layout of a panel with its title and its colour bar, which the page shows as HTML.
 * @param {Panel} panel
 * @param {number} width
 * @param {string} background
 * @param {string} colour
 * @returns {Figure}
 */
export function standaloneFigure(panel, width, background, colour) {
  const { data, layout } = fitPanel(panel, width - COLOUR_BAR, false);
  const margin = { ...layout.margin, t: panel.layout.margin.t, r: layout.margin.r + COLOUR_BAR };
  const title = {
    text: escapeHtml(panel.title), x: 0, xanchor: "left", xref: "paper", y: 1, yanchor: "top", pad: { t: 12 },
    font: { size: 16, color: colour },
  };
  const size = { width, height: layout.height + TITLE_HEIGHT };
  return {
    data: data.map((trace, index) => ({ ...trace, showscale: panel.data[index].showscale })),
    layout: { ...layout, ...size, margin, title, paper_bgcolor: background },
  };
}

/**
 * The traces as the server sent them, with their tooltips, and what was fitted to the width.
 * @param {PlotTrace[]} data
 * @param {PlotTrace[]} fitted
 * @returns {PlotTrace[]}
 */
function withFit(data, fitted) {
  return data.map((trace, index) => ({ ...trace, ...Object.fromEntries(
    FITTED.filter(name => name in fitted[index]).map(name => [name, fitted[index][name]])) }));
}

/**
 * A page with the figure and Plotly's script. In a narrower window, the figure scrolls to the side.
 * @param {Panel} panel
 * @param {Figure} figure
 * @param {string} script
 * @param {string} background
 * @param {string} font  a rule of CSS
 */
export function standalonePage(panel, { data, layout }, script, background, font) {
  const json = JSON.stringify({ data, layout: { ...layout, width: undefined } }).replaceAll("<", "\\u003c");
  return [
    "<!DOCTYPE html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(panel.title)}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${font}</style>`,
    `<script>${script.replaceAll("</script", "<\\/script")}</script></head>`,
    `<body style="margin:0;background:${escapeHtml(background)}">`,
    `<div id="figure" role="img" aria-label="${escapeHtml(panel.alt)}" style="min-width:${layout.width}px"></div>`,
    `<script>const { data, layout } = ${json};`,
    'document.fonts.load(\'12px "Source Sans"\').finally(() =>',
    '  Plotly.newPlot("figure", data, layout, { responsive: true, displaylogo: false }));</script></body></html>',
  ].join("\n");
}

/**
 * The figure as SVG with its font.
 * @param {Figure} figure
 * @param {string} font
 */
async function toSvg({ data, layout }, font) {
  const plotly = /** @type {Plotly} */ (window.Plotly);  // it has painted the panel
  const { width, height } = layout;
  const url = await plotly.toImage({ data, layout }, { format: "svg", width, height });
  const style = `<style>${font}text{text-rendering:geometricPrecision}</style>`;  // enlarged, letters keep their distances
  return decodeURIComponent(url.slice(url.indexOf(",") + 1)).replace(/<svg[^>]*>/, tag => tag + style);
}

/**
 * @param {string} svg
 * @param {PlotLayout} layout
 * @returns {Promise<Blob>}
 */
async function toPng(svg, { width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: PIXELS * width, height: PIXELS * height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob(blob => blob ? done(blob) : fail(new Error("no picture"))));
}

/** @type {(title: string) => string} */
const fileName = title => title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "figure";

/** @type {(text: string) => string} */
const escapeHtml = text =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** @type {(name: string, text: string, type: string) => void} */
const downloadText = (name, text, type) => downloadBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));

/** @type {(name: string, blob: Blob) => void} */
function downloadBlob(name, blob) {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
