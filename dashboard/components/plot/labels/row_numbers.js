// The numbers beside bars in rows, and the legend below them, at the size that the panel has.
// @ts-check

import { longestText } from "./axis_labels.js";
import { TEXT_SIZE } from "./tick_labels.js";

/**
 * @typedef {import("../panel/panel.js").Area} Area
 * @typedef {{ data: PlotTrace[], layout: PlotLayout, area: Area }} Fitted
 */

const DIGIT_HEIGHT = 0.8;  // of the size of the text, with the space between two lines
const BAR_SPACING = 16;  // pixels between the longest bar and the longest number

/** @type {(values: Iterable<number>) => number[]} */
const finite = values => [...values].filter(Number.isFinite);

/** @type {(data: PlotTrace[]) => PlotTrace | undefined} */
const referencesOf = data => data.find(({ name }) => name === "compared with");

/**
 * The data with only those numbers that do not overlap. Those of marked rows stay, and their neighbours give way, which
 * the outline would cross.
 * @param {PlotTrace[]} data
 * @param {number} pixels  the height of a row
 * @param {number[]} marked  rows
 * @returns {PlotTrace[]}
 */
export function withNumbersThatDoNotOverlap(data, pixels, marked) {
  return data.map(trace => {
    if (trace.mode !== "text") return trace;
    const size = trace.textfont?.size ?? TEXT_SIZE, step = Math.ceil(DIGIT_HEIGHT * size / pixels);
    if (pixels >= size) return trace;
    const isNearMark = (/** @type {number} */ row) => marked.some(mark => Math.abs(mark - row) < Math.max(2, step));
    const isShown = (/** @type {number} */ row) => marked.includes(row) || (row % step === 0 && !isNearMark(row));
    return { ...trace, text: trace.text.map((/** @type {string} */ text, /** @type {number} */ row) => (
      isShown(row) ? text : ""
    )) };
  });
}

/**
 * The layout with the legend of the reference lines, which is the title of the x axis, at the line of the last row.
 * @param {PlotLayout} layout
 * @param {PlotTrace[]} data
 * @returns {PlotLayout}
 */
export function withLegendAtReference(layout, data) {
  const { xaxis } = layout, at = finite(referencesOf(data)?.x ?? []).at(-1);
  return at === undefined || !xaxis?.title ? layout : { ...layout, xaxis: { ...xaxis, title: { ...xaxis.title, at } } };
}

/**
 * The figure with its numbers beside the longest bar: in a wide panel, their column at the right is far from the bars. The
 * hatch of masked rows, whose length means nothing, ends before the numbers, and a sum below them ends where they do.
 * @param {Fitted} fitted
 * @returns {Fitted}
 */
export function withNumbersNear(fitted) {
  const { data, layout, area } = fitted;
  const numbers = data.find(({ mode }) => mode === "text"), bars = data.find(({ type }) => type === "bar");
  if (!numbers || !bars || !layout.xaxis?.range) return fitted;
  const [low, high] = layout.xaxis.range, family = layout.font?.family ?? "sans-serif";
  const starts = [...bars.base ?? []], lengths = [...bars.x];
  const ends = lengths.map((length, row) => (starts[row] ?? 0) + Math.max(0, length));
  const end = Math.max(0, ...finite(ends), ...finite(referencesOf(data)?.x ?? []));
  const room = BAR_SPACING + longestText(numbers.text, numbers.textfont?.size ?? TEXT_SIZE, family);
  const right = end + room * (high - low) / area.width;  // of the numbers, which are aligned at the right
  if (right >= numbers.x[0]) return fitted;
  const { xaxis } = layout, title = xaxis.title && { ...xaxis.title, endsAt: right };
  return {
    ...fitted, layout: { ...layout, xaxis: { ...xaxis, title } },
    data: data.map(trace => {
      if (trace === numbers) return { ...trace, x: numbers.text.map(() => right) };
      if (trace.name === "masked") return { ...trace, x: [...trace.x].map(length => Math.min(length, end - trace.base)) };
      return trace;
    }),
  };
}
