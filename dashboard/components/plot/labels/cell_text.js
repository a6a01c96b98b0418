// The numbers in the cells of a heatmap: whether they have room, and their colour. Plotly writes in white or dark grey,
// which is hard to read on colours between light and dark.
// @ts-check

import { colourAt, parseColour } from "../../shared/colours.js";

const TEXT_COLOURS = ["#444444", "#ffffff", "#000000"];  // the first that is readable; white or black always is
const NUMBER = "%{z:.2f}", NUMBER_DECIMALS = 2;  // in cells, as encoder_core sends them
const NUMBER_WIDTH = 30, LETTER_WIDTH = 5.5;  // pixels that "0.00" and a gap take, and each letter of a longer number
const READABLE = 4.5;  // contrast of text, at least: WCAG 2, 1.4.3

/** @typedef {import("../../shared/colours.js").Rgb} Rgb */

/** The relative luminance of WCAG 2, from 0 to 1. */
const luminance = (/** @type {Rgb} */ colour) => {
  const [red, green, blue] = colour.map(part => part / 255).map(
    share => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/**
 * The contrast of WCAG 2 between two colours, from 1 to 21.
 * @param {Rgb} one
 * @param {Rgb} other
 */
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The colour of a cell: Plotly mixes the two colours of the scale between which the number is.
 * @param {PlotTrace} heatmap
 * @param {number} value
 * @returns {Rgb}
 */
export const cellColour = ({ colorscale, zmin, zmax }, value) =>
  colourAt(colorscale, Math.min(1, Math.max(0, (value - zmin) / (zmax - zmin))));

/**
 * A colour of text that is readable on this colour.
 * @param {Rgb} background
 */
export const readableOn = background =>
  TEXT_COLOURS.find(colour => contrast(parseColour(colour), background) >= READABLE) ?? TEXT_COLOURS[0];

/**
 * A heatmap without the numbers in its cells if they have no room: they would read as one long number.
 * @param {PlotTrace} trace
 * @param {number} cellWidth  in pixels
 * @returns {PlotTrace}
 */
export function withNumbersThatFit(trace, cellWidth) {
  if (trace.texttemplate !== NUMBER) return trace;
  const texts = [...trace.z].flatMap(row => [...row]).filter(Number.isFinite).map(z => z.toFixed(NUMBER_DECIMALS));
  const longest = Math.max(0, ...texts.map(text => text.length));
  const { texttemplate, ...others } = trace;
  return Math.max(NUMBER_WIDTH, longest * LETTER_WIDTH) <= cellWidth ? trace : others;
}

/** @type {(z: number) => string} */
function cellNumber(z) {
  if (!Number.isFinite(z)) return "";
  const digits = Math.abs(z).toFixed(NUMBER_DECIMALS);
  return z < 0 && Number(digits) ? `−${digits}` : digits;
}

/**
 * A heatmap whose negative numbers have a minus sign, as everywhere else on screen. Plotly would write a hyphen.
 * @param {PlotTrace} trace
 * @returns {PlotTrace}
 */
export function withMinusSigns(trace) {
  if (trace.texttemplate !== NUMBER || ![...trace.z].some(row => row.some((/** @type {number} */ z) => z < 0))) return trace;
  return { ...trace, text: [...trace.z].map(row => Array.from(row, cellNumber)), texttemplate: "%{text}" };
}

/**
 * Colour the text that Plotly has written into the cells of a plot's heatmap.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data
 */
export function colourCellText(plot, data) {
  const heatmap = data.find(({ type, texttemplate }) => type === "heatmap" && texttemplate);
  if (!heatmap) return;
  for (const text of /** @type {NodeListOf<SVGTextElement>} */ (plot.querySelectorAll(".heatmap-label text"))) {
    const { z } = /** @type {any} */ (text).__data__;  // the number of the cell, which d3 keeps with the element
    if (Number.isFinite(z)) text.style.fill = readableOn(cellColour(heatmap, z));
  }
}
