// Arrays as the server sends them: a type, its bytes in base64, and the shape of a matrix.

const TYPES = {
  f4: Float32Array, f8: Float64Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array,
};

function decoded(value) {
  if (!value?.bdata) return value;
  const bytes = Uint8Array.from(atob(value.bdata), letter => letter.charCodeAt(0));
  const flat = new TYPES[value.dtype](bytes.buffer);
  if (!value.shape) return flat;
  const [rows, columns] = value.shape.split(",").map(Number);
  return Array.from({ length: rows }, (_, row) => flat.subarray(row * columns, (row + 1) * columns));
}

// A panel from its JSON. The matrices of its heatmaps are decoded, and `values` holds the numbers of its cells.
export function parsePanel(json) {
  const panel = JSON.parse(json);
  for (const trace of panel.data.filter(trace => trace.type === "heatmap")) {
    trace.z = decoded(trace.z);
    if (trace.customdata) trace.customdata = decoded(trace.customdata);
  }
  panel.values = panel.data.find(trace => trace.type === "heatmap" && trace.name !== "masked")?.z;
  return panel;
}
