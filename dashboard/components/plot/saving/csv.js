// The numbers of a panel as a table of comma-separated values.
// @ts-check

/**
 * @typedef {import("../panel/panel.js").Panel} Panel
 * @typedef {import("../panel/panel.js").Axis} Axis
 * @typedef {string | number} Field
 */

const FLOAT32_DIGITS = 9;     // significant digits that identify a float32 number

/**
 * The numbers of a panel, with a header. A matrix keeps its rows and columns. The tiles of a mosaic, the cells that
 * have texts, and the traces of other figures are one number a line.
 * @param {Panel} panel
 * @returns {string}
 */
export function toCsv(panel) {
  const { kind, rows, columns, values, tiles, data } = panel;
  if (kind === "row_bars") return table(rowsOfBars(panel));
  if (kind === "points") return table(panel.layout.annotations?.length ? arrows(panel) : points(panel));
  if (!values || !rows || !columns) return table(series(panel));
  if (tiles) return table(cellsOfTiles(panel));
  const texts = data.find(trace => trace.type === "heatmap" && trace.hovertext)?.hovertext;
  if (texts) {
    const lines = rows.names.flatMap((row, y) => columns.names.map((column, x) => [row, column, texts[y][x], values[y][x]]));
    return table([[title(rows), title(columns), "text", "value"], ...lines]);
  }
  const corner = [rows, columns].map(title).join(" \\ ");
  return table([[corner, ...columns.names], ...rows.names.map((name, row) => [name, ...Array.from(values[row])])]);
}

/** @type {(axis: Axis | null) => string} */
const title = axis => axis?.title || axis?.kind || "name";

/**
 * What the server writes at an axis of the plot.
 * @type {(axis: PlotAxis | undefined, otherwise: string) => string}
 */
const written = (axis, otherwise) => plainText(axis?.title?.text ?? "") || otherwise;

/** @type {(panel: Panel) => Field[][]} */
function rowsOfBars({ rows, title: name, data, missing }) {
  const bars = /** @type {PlotTrace} */ (data.find(trace => trace.type === "bar"));
  const empty = new Set([...(data.find(trace => trace.name === "masked")?.y ?? []), ...(missing ?? [])]);
  const names = rows?.names ?? [];
  return [[title(rows), name], ...names.map((row, index) =>
    [row, empty.has(index) ? NaN : bars.x[index] + (bars.base?.[index] ?? 0)])];
}

/**
 * An axis of tiles with a single one has no names.
 * @type {(panel: Panel) => Field[][]}
 */
function cellsOfTiles({ rows, columns, values, tiles }) {
  if (!rows || !columns || !values || !tiles) return [];
  const { tall, wide, gap } = tiles, axes = [tiles.rows, tiles.columns, rows, columns];
  const isNamed = axes.map(axis => axis.names.join("") !== "");
  /** @type {(fields: Field[]) => Field[]} */
  const named = fields => fields.filter((_, index) => isNamed[index] ?? true);
  const lines = tiles.rows.names.flatMap((tileRow, i) => tiles.columns.names.flatMap((tileColumn, j) =>
    rows.names.flatMap((row, y) => columns.names.map((column, x) =>
      named([tileRow, tileColumn, row, column, values[i * (tall + gap) + y]?.[j * (wide + gap) + x] ?? NaN])))));
  return [named([...axes.map(title), "value"]), ...lines];
}

/**
 * Curves and bars: the name of a place on the x axis, or its number.
 * @type {(panel: Panel) => Field[][]}
 */
function series({ data, columns, layout }) {
  /** @type {(x: number) => Field} */
  const place = x => columns?.names[x] ?? x;
  const lines = data.flatMap(({ name, x, y }) => Array.from(y ?? [], (/** @type {number} */ value, /** @type {number} */ i) =>
    [plainText(name ?? ""), place(x?.[i] ?? i), value]));
  const header = ["series", written(layout?.xaxis, columns ? "name" : "x"), written(layout?.yaxis, "y")];
  const isNamed = lines.some(([name]) => name);
  return [header, ...lines].map(line => isNamed ? line : line.slice(1));
}

/**
 * Points have their number as `customdata`; those of a path have none.
 * @type {(panel: Panel) => Field[][]}
 */
function points({ data, columns, layout }) {
  const lines = data.flatMap(({ name, x, y, customdata }) => Array.from(x, (/** @type {number} */ left, /** @type {number} */ i) =>
    [plainText(name ?? ""), columns?.names[customdata?.[i]] ?? "", left, y[i]]));
  return [["series", "name", written(layout.xaxis, "x"), written(layout.yaxis, "y")], ...lines];
}

/**
 * The arrows, and the points at their ends that have names.
 * @type {(panel: Panel) => Field[][]}
 */
function arrows({ data, columns, layout }) {
  const axes = [written(layout.xaxis, "x"), written(layout.yaxis, "y")];
  const ends = data.filter(trace => !trace.customdata).flatMap(({ text, x, y }) =>
    Array.from(x, (/** @type {number} */ left, /** @type {number} */ i) => [plainText(text[i]), NaN, NaN, left, y[i]]));
  /** @type {Field[][]} */
  const shafts = layout.annotations.map((/** @type {{ ax: number, ay: number, x: number, y: number }} */ arrow,
                                         /** @type {number} */ i) =>
    [columns?.names[i] ?? "", arrow.ax, arrow.ay, arrow.x, arrow.y]);
  return [["name", ...axes.map(axis => `from ${axis}`), ...axes.map(axis => `to ${axis}`)], ...shafts, ...ends];
}

/**
 * Names that Plotly shows are escaped.
 * @type {(text: string) => string}
 */
const plainText = text => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** @type {(lines: Field[][]) => string} */
const table = lines => lines.map(line => line.map(csvField).join(",")).join("\r\n") + "\r\n";

/**
 * A field of a table. A spreadsheet would execute a text that begins with one of these signs, such as a token "=".
 * @param {Field} value
 */
export function csvField(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(FLOAT32_DIGITS))) : "";
  const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
