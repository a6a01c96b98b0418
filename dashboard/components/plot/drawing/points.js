// Points in a plane: one scale for both axes at the width that the panel has, and labels that do not overlap.
// @ts-check

/**
 * @typedef {{ width: number, height: number }} Area
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Box
 * @typedef {[number, number, number, number]} Segment  x and y of its start, x and y of its end
 */

const LETTER_WIDTH = 0.56;   // of a letter in a label, as a fraction of the font size; wide letters are rare in words
const DOT_SIZE = 9;          // pixels: the diameter of a point without a size
const OUTLINE = 1;           // pixels around a point that labels of others leave free
const LABEL_PADDING = 3;     // pixels between two labels of one line, which would otherwise read like one text
const LINE_PADDING = 2;      // pixels between a label and a line
const SPACE = "\u00a0\u00a0";  // Plotly puts a label at the side of a point close to it
const SPACE_WIDTH = 0.4;     // of SPACE, as a fraction of the font size
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

/**
 * The box of a label at a place of its point. Plotly's distance follows from the radius of the point.
 * @type {(point: { x: number, y: number, radius: number, text: string, size: number }, place: string) => Box}
 */
function labelBox({ x, y, radius, text, size }, place) {
  const [vertical, horizontal] = place.split(" "), distance = radius / 0.8 + 1;
  const width = text.length * LETTER_WIDTH * size, side = distance + (vertical === "middle" ? SPACE_WIDTH * size : 0);
  const left = horizontal === "center" ? x - width / 2 : horizontal === "right" ? x + side : x - side - width;
  const top = vertical === "middle" ? y - size / 2 : vertical === "top" ? y - distance - size : y + distance;
  return { left, right: left + width, top, bottom: top + size };
}

/** @type {(one: Box, other: Box, padding: number) => boolean} */
const overlap = (one, other, padding) => one.left < other.right + padding && other.left < one.right + padding
  && one.top < other.bottom && other.top < one.bottom;

/**
 * Whether a line crosses a box: the part of the line that is within all four edges is not empty.
 * @param {Box} box
 * @param {Segment} segment
 * @returns {boolean}
 */
export function crosses({ left, right, top, bottom }, [x0, y0, x1, y1]) {
  let from = 0, to = 1;
  for (const [start, step, near, far] of [[x0, x1 - x0, left, right], [y0, y1 - y0, top, bottom]]) {
    const low = near - LINE_PADDING, high = far + LINE_PADDING;
    if (step === 0 && (start < low || start > high)) return false;
    if (step === 0) continue;
    const shares = [low, high].map(edge => (edge - start) / step);
    from = Math.max(from, Math.min(...shares));
    to = Math.min(to, Math.max(...shares));
  }
  return from < to;
}

/**
 * The traces with a place for each label, where it covers no point, no other label, no arrow and no path. A label without
 * such a place is left out; its point shows it under the mouse. Labels of `first` are placed first, then those of the
 * traces in order. These, and labels whose points show nothing under the mouse, may lie on a line where all places do.
 * @param {PlotTrace[]} data
 * @param {number[][]} ranges
 * @param {Area} area
 * @param {number[]} first  the `customdata` of points
 * @param {{ x: number, y: number, ax: number, ay: number }[]} [arrows]  tips and starts
 * @returns {PlotTrace[]}
 */
export function placeLabels(data, ranges, area, first, arrows = []) {
  const [[left, right], [bottom, top]] = ranges;
  /** @type {(x: number) => number} */
  const toX = x => (x - left) / (right - left) * area.width;
  /** @type {(y: number) => number} */
  const toY = y => (top - y) / (top - bottom) * area.height;
  const labelled = data.flatMap((trace, index) => Array.from(trace.text ?? [], (text, i) => ({
    index, i, text: text.replace(/&\w+;/g, "-"), size: trace.textfont.size, x: toX(trace.x[i]), y: toY(trace.y[i]),
    radius: (trace.marker?.size?.[i] ?? trace.marker?.size ?? DOT_SIZE) / 2,
    isFirst: first.includes(trace.customdata?.[i]), isRequired: trace.hoverinfo === "skip",
  })));
  const taken = labelled.map(({ x, y, radius }) => (
    { left: x - radius - OUTLINE, right: x + radius + OUTLINE, top: y - radius - OUTLINE, bottom: y + radius + OUTLINE }
  ));
  const shafts = arrows.map(({ x, y, ax, ay }) => /** @type {Segment} */ ([toX(ax), toY(ay), toX(x), toY(y)]));
  const paths = data.filter(({ mode }) => mode?.startsWith("lines")).flatMap(({ x, y }) =>
    Array.from(x).slice(1).map((_, i) => /** @type {Segment} */ ([toX(x[i]), toY(y[i]), toX(x[i + 1]), toY(y[i + 1])])));
  const lines = [...shafts, ...paths], places = data.map(trace => Array.from(trace.text ?? [], () => ""));
  for (const point of [...labelled.filter(one => one.isFirst), ...labelled.filter(one => !one.isFirst)]) {
    const isFree = (/** @type {Box} */ box) => box.left >= 0 && box.right <= area.width && box.top >= 0
      && box.bottom <= area.height && !taken.some((other, i) => overlap(box, other, i < labelled.length ? 0 : LABEL_PADDING));
    const free = PLACES.map(place => ({ place, box: labelBox(point, place) })).filter(({ box }) => isFree(box))
      .map(candidate => ({ ...candidate, crossed: lines.filter(line => crosses(candidate.box, line)).length }))
      .filter(({ crossed }) => !crossed || point.isFirst || point.isRequired)
      .sort((one, other) => one.crossed - other.crossed);
    if (!free.length) continue;
    places[point.index][point.i] = free[0].place;
    taken.push(free[0].box);
  }
  /** @type {(text: string, place: string) => string} */
  const withGap = (text, place) => place === "middle right" ? SPACE + text : place === "middle left" ? text + SPACE : text;
  return data.map((trace, index) => trace.text ? {
    ...trace,
    text: Array.from(trace.text, (text, i) => places[index][i] ? withGap(text, places[index][i]) : ""),
    textposition: places[index].map(place => place || PLACES[0]),
  } : trace);
}
