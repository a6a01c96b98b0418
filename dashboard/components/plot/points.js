// Points in a plane: one scale for both axes at the width that the panel has, and labels that do not overlap.
// @ts-check

/**
 * @typedef {{ width: number, height: number }} Area
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Box
 */

const LETTER_WIDTH = 0.56;   // of a letter in a label, as a fraction of the font size; wide letters are rare in words
const GAP = 8;               // pixels from the centre of a point to its label
const DOT = 4;               // pixels from the centre of a point that labels of others leave free
const SPACE = "\u00a0\u00a0";  // Plotly puts a label at the side of a point close to it
const PLACES = ["top center", "bottom center", "middle right", "middle left", "top right", "top left",
                "bottom right", "bottom left"];

/**
 * The ranges of both axes with one scale: the axis that has pixels to spare shows more.
 * @param {number[][]} ranges  of x and of y
 * @param {Area} area
 * @returns {number[][]}
 */
export function equalScale(ranges, area) {
  const pixels = [area.width, area.height];
  const unit = Math.max(...ranges.map(([low, high], axis) => (high - low) / Math.max(1, pixels[axis])));
  return ranges.map(([low, high], axis) => {
    const middle = (low + high) / 2, half = unit * pixels[axis] / 2;
    return [middle - half, middle + half];
  });
}

/** @type {(x: number, y: number, text: string, size: number, place: string) => Box} */
function labelBox(x, y, text, size, place) {
  const width = text.length * LETTER_WIDTH * size, [vertical, horizontal] = place.split(" ");
  const left = horizontal === "center" ? x - width / 2 : horizontal === "right" ? x + GAP : x - GAP - width;
  const top = vertical === "middle" ? y - size / 2 : vertical === "top" ? y - GAP - size : y + GAP;
  return { left, right: left + width, top, bottom: top + size };
}

/** @type {(one: Box, other: Box) => boolean} */
const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * The traces with a place for each label. A label without room is left out; its point shows it under the mouse. Labels
 * of `first` are placed first, then those of the traces in order.
 * @param {PlotTrace[]} data
 * @param {number[][]} ranges
 * @param {Area} area
 * @param {number[]} first  the `customdata` of points
 * @returns {PlotTrace[]}
 */
export function placeLabels(data, ranges, area, first) {
  const [[left, right], [bottom, top]] = ranges;
  const labelled = data.flatMap((trace, index) => Array.from(trace.text ?? [], (text, i) => ({
    index, i, text: text.replace(/&\w+;/g, "-"), size: trace.textfont.size, id: trace.customdata?.[i],
    x: (trace.x[i] - left) / (right - left) * area.width,
    y: (top - trace.y[i]) / (top - bottom) * area.height,
  })));
  const taken = labelled.map(({ x, y }) => ({ left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT }));
  const isFirst = (/** @type {{ id: number }} */ { id }) => first.includes(id);
  const places = data.map(trace => Array.from(trace.text ?? [], () => ""));
  for (const point of [...labelled.filter(isFirst), ...labelled.filter(one => !isFirst(one))]) {
    const { index, i, text, size, x, y } = point;
    const isFree = (/** @type {Box} */ box) => box.left >= 0 && box.right <= area.width && box.top >= 0
      && box.bottom <= area.height && !taken.some(other => overlap(box, other));
    const place = PLACES.find(candidate => isFree(labelBox(x, y, text, size, candidate)));
    if (!place) continue;
    places[index][i] = place;
    taken.push(labelBox(x, y, text, size, place));
  }
  /** @type {(text: string, place: string) => string} */
  const withGap = (text, place) => place === "middle right" ? SPACE + text : place === "middle left" ? text + SPACE : text;
  return data.map((trace, index) => trace.text ? {
    ...trace,
    text: Array.from(trace.text, (text, i) => places[index][i] ? withGap(text, places[index][i]) : ""),
    textposition: places[index].map(place => place || PLACES[0]),
  } : trace);
}
