// Arrays as the server sends them: their bytes in base64, with Plotly's names of the element types.
// @ts-check

const ARRAY_TYPES = {
  f4: Float32Array, f8: Float64Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array,
};

/**
 * @typedef {Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array} NumberArray
 * @typedef {ArrayLike<number>} Vector
 * @typedef {ArrayLike<Vector>} Matrix  rows of numbers
 *
 * An array in Plotly's format: `bdata` is the little-endian bytes in base64, `shape` the sizes of a matrix ("2, 3").
 * @typedef {{ dtype: keyof typeof ARRAY_TYPES, bdata: string, shape?: string }} PackedArray
 */

/**
 * The bytes of a text in base64, in a buffer of this length.
 * @param {string} text
 */
export function decodeBase64(text) {
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  // Uint8Array.from takes ten times as long: 12 ms for a move on Multi-head.
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/**
 * A vector, or a matrix as an array of its rows. The rows are views of one buffer.
 * @param {PackedArray} packed
 * @returns {NumberArray | NumberArray[]}
 */
export function unpackArray({ dtype, bdata, shape }) {
  const flat = new ARRAY_TYPES[dtype](decodeBase64(bdata).buffer);
  if (!shape) return flat;
  const [rows, columns] = shape.split(",").map(Number);
  return Array.from({ length: rows }, (_, row) => flat.subarray(row * columns, (row + 1) * columns));
}
