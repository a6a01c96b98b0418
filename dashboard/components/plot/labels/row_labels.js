// Long labels of rows in a narrow panel: they are shortened, so that its cells keep some width. The tooltip of a cell has
// the whole name.
// @ts-check

import { plainText } from "./axis_labels.js";
import { MEAN_LETTER_WIDTH, TEXT_SIZE } from "./tick_labels.js";

export const LEAST_AREA = 48;     // pixels between the axes
export const LEAST_LABELS = 66;   // pixels of row labels: room for seven letters and the title of the axis
const TITLE_ROOM = 22;            // pixels for the title of the axis
const ESCAPES = new Map([["<", "&lt;"], [">", "&gt;"], ["&", "&amp;"]]);  // as encoder_core escapes them

/** @type {(text: string, letters: number) => string} */
function shorten(text, letters) {
  const plain = plainText(text);
  if (plain.length <= letters) return text;
  const start = plain.slice(0, letters - 1).replace(/…$/, "");
  return `${start}…`.replace(/[<>&]/g, letter => ESCAPES.get(letter) ?? letter);
}

/**
 * The layout with row labels that leave LEAST_AREA for the cells, but are not shorter than LEAST_LABELS.
 * @param {PlotLayout} layout
 * @param {number} width  of the panel
 * @returns {PlotLayout}
 */
export function shortenRowLabels(layout, width) {
  const { margin, yaxis } = layout, left = Math.max(LEAST_LABELS, width - margin.r - LEAST_AREA);
  if (!yaxis?.ticktext || margin.l <= left) return layout;
  const letterWidth = MEAN_LETTER_WIDTH * (yaxis.tickfont?.size ?? TEXT_SIZE) / TEXT_SIZE;
  const letters = Math.floor((left - TITLE_ROOM) / letterWidth);
  const ticktext = yaxis.ticktext.map(text => shorten(text, letters));
  return { ...layout, margin: { ...margin, l: left }, yaxis: { ...yaxis, ticktext } };
}
