// Colours as three numbers, and the colours between the stops of a scale.
// @ts-check

/**
 * Red, green and blue, each from 0 to 255.
 * @typedef {[number, number, number]} Rgb
 *
 * A place of the scale from 0 to 1, and its colour as "#rrggbb".
 * @typedef {[number, string]} ColourStop
 */

/**
 * @param {string} hex  "#rrggbb"
 * @returns {Rgb}
 */
export function parseColour(hex) {
  const [red, green, blue] = [1, 3, 5].map(start => parseInt(hex.slice(start, start + 2), 16));
  return [red, green, blue];
}

/**
 * The colour at a place of the scale, mixed from the two stops around it; not rounded.
 * @param {ColourStop[]} stops
 * @param {number} share  from 0 to 1
 * @returns {Rgb}
 */
export function colourAt(stops, share) {
  const upper = Math.max(1, stops.findIndex(stop => stop[0] >= share));
  const [[from, low], [to, high]] = [stops[upper - 1], stops[upper]];
  const [a, b] = [parseColour(low), parseColour(high)], ratio = (share - from) / (to - from);
  /** @type {(channel: 0 | 1 | 2) => number} */
  const mix = channel => a[channel] + ratio * (b[channel] - a[channel]);
  return [mix(0), mix(1), mix(2)];
}
