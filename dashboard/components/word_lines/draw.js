// The lines as paths of an SVG between the words.
// @ts-check

import { createSvg } from "../shared/dom.js";

/** @typedef {import("./word_lines.js").Drawing} Drawing */
/** @typedef {import("./word_lines.js").Line} Line */
/** @typedef {{ x: number, y: number }} Point */

const WIDEST = 11;         // pixels, of a line of weight 1
const THINNEST = 1;
const FAINTEST = 0.3;      // opacity of a line of weight 0; of weight 1 it is 1
const ARC = 26;            // pixels, of the control points above a row; an arc reaches three quarters of it
const LOOP = 7;
const SPREAD = 0.6;        // share of a word's size over which the lines of several heads begin and end
const DASHES = { solid: "", dashed: "7 4", dotted: "2 4" };

/**
 * The path of a line. It leaves and enters a word upright; between two words of one row it is an arc above them, and from
 * a word to itself a loop.
 * @param {Point} from
 * @param {Point} to
 * @returns {string}
 */
export function linePath(from, to) {
  const isSameRow = Math.abs(from.y - to.y) < 1, middle = isSameRow ? from.y - ARC : (from.y + to.y) / 2;
  const half = isSameRow && Math.abs(from.x - to.x) < LOOP ? LOOP : 0;
  return `M${from.x - half} ${from.y}C${from.x - 2 * half} ${middle} ${to.x + 2 * half} ${middle} ${to.x + half} ${to.y}`;
}

/**
 * Where the lines of each head begin along a word, as a share of its size from its middle.
 * @param {number} head
 * @param {number} count  of heads
 * @returns {number}
 */
export const spreadOf = (head, count) => count > 1 ? SPREAD * (head / (count - 1) - 0.5) : 0;

/**
 * The width in pixels and the opacity of a line.
 * @param {number} weight
 * @returns {{ width: number, opacity: number }}
 */
export function lineLook(weight) {
  const share = Math.min(weight, 1);
  return { width: Math.max(THINNEST, WIDEST * share), opacity: FAINTEST + (1 - FAINTEST) * share };
}

/**
 * The ends of a line between two words, as places on the page: at the sides that face each other, or at the tops of two
 * words in one row.
 * @param {DOMRect} source
 * @param {DOMRect} target
 * @param {number} share  of the words' widths
 * @returns {[Point, Point]}
 */
export function lineEnds(source, target, share) {
  const isBelow = target.top > source.top + source.height / 2, isAbove = target.top < source.top - source.height / 2;
  return [
    { x: source.left + share * source.width, y: isBelow ? source.bottom : source.top },
    { x: target.left + share * target.width, y: isAbove ? target.bottom : target.top },
  ];
}

/**
 * Draw one path for each line of the data.
 * @param {Drawing} drawing
 * @param {HTMLElement} source  the selected word
 */
export function drawLines({ svg, keys, data: { heads, lines } }, source) {
  const box = svg.getBoundingClientRect(), from = source.getBoundingClientRect();
  const targets = keys.map(key => key.getBoundingClientRect());
  svg.replaceChildren(...lines.map(([head, key, weight]) => {
    const ends = lineEnds(from, targets[key], 0.5 + spreadOf(head, heads.length));
    const [start, end] = ends.map(({ x, y }) => ({ x: x - box.left, y: y - box.top }));
    const path = createSvg("path"), { width, opacity } = lineLook(weight);
    path.setAttribute("d", linePath(start, end));
    path.setAttribute("stroke", heads[head].colour);
    path.setAttribute("stroke-width", String(width));
    path.setAttribute("stroke-opacity", String(opacity));
    path.setAttribute("stroke-dasharray", DASHES[heads[head].dash]);
    return path;
  }));
}

/**
 * Fade the other lines.
 * @param {Drawing} drawing
 * @param {(line: Line) => boolean} isHighlighted
 */
export function highlightLines({ svg, data }, isHighlighted) {
  [...svg.children].forEach((path, i) => path.classList.toggle("ew-faded", !isHighlighted(data.lines[i])));
}
