// The labels of an axis at the length that it has: all of them, in two lines if one is too narrow, or those that fit.
// @ts-check

export const TEXT_SIZE = 11;  // pixels: the font of the labels, as encoder_core sends them
const LABEL_SPACING = 1;      // pixels between two labels, across their text
const LETTER_WIDTH = 6.8;     // pixels of a letter in a label of TEXT_SIZE, at most
export const MEAN_LETTER_WIDTH = 5.9;
const FIGURE_SPACE = "\u2007", FIGURE_SPACE_WIDTH = 0.497;  // of the size of the text; Plotly keeps it at the end of a label
const LINE_SPACING = 6;       // pixels between the two lines of labels
const TIGHT_TEXT = 0.91;      // of the size of the text: lower-case letters of neighbours do not touch at this distance
const FLAT_MARGIN = 52;       // pixels below the cells for horizontal labels of TEXT_SIZE, as in encoder_core/figures/base.py
const SQUARE = /[\u1100-\u11ff\u2e80-\uffdc]/g;  // letters as wide as two others: Chinese, Japanese, Korean, emoji

/** @type {(axis: PlotAxis, pixels: number) => number} */
function cellSize({ range = [0, 1], tickvals = [] }, pixels) {
  return pixels * Math.abs((tickvals[1] ?? 1) - (tickvals[0] ?? 0)) / Math.abs(range[1] - range[0]);
}

/**
 * The layout with horizontal labels of columns instead of upright ones, if the longest of them, and a space, fits into
 * the distance from one tick to the next. The margin below then needs no more room than one line of text.
 * @param {PlotLayout} layout
 * @param {number} pixels  length of the axis
 * @returns {PlotLayout}
 */
export function flattenLabels(layout, pixels) {
  const { xaxis, margin, height } = layout;
  if (xaxis?.tickangle !== -90 || !xaxis.tickvals || !xaxis.ticktext || !xaxis.range) return layout;
  const ratio = (xaxis.tickfont?.size ?? TEXT_SIZE) / TEXT_SIZE;
  const letters = Math.max(0, ...xaxis.ticktext.map(text => text.length + (text.match(SQUARE)?.length ?? 0)));
  if ((letters + 1) * LETTER_WIDTH * ratio > cellSize(xaxis, pixels)) return layout;
  const spare = Math.max(0, margin.b - Math.round(FLAT_MARGIN * ratio));
  return { ...layout, xaxis: { ...xaxis, tickangle: 0 }, margin: { ...margin, b: margin.b - spare }, height: height - spare };
}

/**
 * The axis with only those tick labels that do not overlap. Labels of marked cells stay, and their neighbours give way.
 * @param {PlotAxis | undefined} axis
 * @param {number} pixels  length of the axis
 * @param {number[]} marked  indices of ticks
 * @param {boolean} isTight  whether the labels are below each other, as near as lines of text: those of rows
 * @returns {PlotAxis | undefined}
 */
export function thinLabels(axis, pixels, marked, isTight = false) {
  if (!axis?.tickvals || !axis.ticktext || !axis.range) return axis;
  const { tickvals, ticktext } = axis;
  const textSize = axis.tickfont?.size ?? TEXT_SIZE;
  const pitch = isTight ? Math.round(TIGHT_TEXT * textSize) : textSize + LABEL_SPACING;
  const longest = Math.max(...ticktext.map(text => text.length));
  const labelWidth = axis.tickangle === 0 && !isTight ? longest * LETTER_WIDTH * textSize / TEXT_SIZE : pitch;
  const step = Math.max(1, Math.ceil(Math.max(pitch, labelWidth) / cellSize(axis, pixels)));
  if (step === 1) return axis;
  const isNearMark = (/** @type {number} */ index) => marked.some(mark => Math.abs(mark - index) < step);
  const hasLabel = (/** @type {unknown} */ _, /** @type {number} */ index) =>
    marked.includes(index) || (index % step === 0 && !isNearMark(index));
  return { ...axis, tickvals: tickvals.filter(hasLabel), ticktext: ticktext.filter(hasLabel) };
}

/**
 * The axis of rows with those labels that do not overlap. Large text is as small as usual where all labels fit then.
 * @param {PlotAxis | undefined} axis
 * @param {number} pixels  length of the axis
 * @param {number[]} marked  indices of ticks
 * @returns {PlotAxis | undefined}
 */
export function thinLargeRowLabels(axis, pixels, marked) {
  const thinned = thinLabels(axis, pixels, marked, true);
  if (thinned === axis) return axis;
  const small = { ...axis, tickfont: { ...axis?.tickfont, size: TEXT_SIZE } };
  return thinLabels(small, pixels, marked, true) === small ? small : thinned;
}

/**
 * An axis of upright labels with every second label in a second line below the first, with a tick that leads to it;
 * null if one line is enough, or two are not. `room` is the height that the second line adds, in pixels.
 * @param {PlotAxis | undefined} axis
 * @param {number} pixels  length of the axis
 * @returns {{ axis: PlotAxis, room: number } | null}
 */
export function staggerLabels(axis, pixels) {
  if (axis?.tickangle !== -90 || !axis.tickvals || !axis.ticktext || !axis.range) return null;
  const textSize = axis.tickfont?.size ?? TEXT_SIZE, size = cellSize(axis, pixels);
  if (size >= textSize + LABEL_SPACING || 2 * size < TIGHT_TEXT * textSize) return null;
  const isLower = (/** @type {unknown} */ _, /** @type {number} */ index) => index % 2 === 1;
  const length = (/** @type {string[]} */ texts) =>
    Math.max(0, ...texts.map(text => text.length)) * MEAN_LETTER_WIDTH * textSize / TEXT_SIZE;
  const upper = length(axis.ticktext.filter((_, index) => !isLower(_, index))), lower = length(axis.ticktext.filter(isLower));
  const spaces = Math.ceil((upper + LINE_SPACING) / (FIGURE_SPACE_WIDTH * textSize));
  const depth = spaces * FIGURE_SPACE_WIDTH * textSize;
  const ticktext = axis.ticktext.map((text, index) => isLower(text, index) ? text + FIGURE_SPACE.repeat(spaces) : text);
  const minor = { tickvals: axis.tickvals.filter(isLower), ticks: "outside", ticklen: depth, tickwidth: 1, tickcolor: axis.gridcolor };
  return { axis: { ...axis, ticktext, minor }, room: Math.ceil(depth + lower - Math.max(upper, lower)) };
}
