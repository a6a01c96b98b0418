// What a cell says when the mouse is over it: where it is, its number, and the sum behind it, without asking the server.

import { formatNumber } from "../numbers.js";

const SUM_SHOWN = 3;         // terms of a sum in a hover

// Where a point of a plot is: its row and column in the panel, and, in a mosaic, its tile.
export function cellAt(panel, point) {
  const x = Math.round(point.x), y = Math.round(point.y);
  if (!panel.rows) return { row: 0, column: x, tile: null };
  if (panel.kind === "row_bars") return { row: y, column: 0, tile: null };
  if (!panel.tiles) return { row: y, column: x, tile: null };
  const { tall, wide, gap } = panel.tiles;
  const tile = [Math.floor(y / (tall + gap)), Math.floor(x / (wide + gap))];
  return { row: y % (tall + gap), column: x % (wide + gap), tile };
}

// The sum behind a cell of a product of two panels, its largest terms first. It ends with the cell's own value.
function sumOf(panels, { product, values }, row, column) {
  const left = panels[product.left].values[row], right = panels[product.right].values;
  const terms = Array.from(left, (a, i) => [a || 0, right[i][column] || 0]);
  terms.sort((s, t) => Math.abs(t[0] * t[1]) - Math.abs(s[0] * s[1]));
  const signed = value => value < 0 ? `(${formatNumber(value)})` : formatNumber(value);
  const shown = terms.slice(0, SUM_SHOWN).map(([a, b]) => `${signed(a)} · ${signed(b)}`).join(" + ");
  const others = terms.length > SUM_SHOWN ? ` + ${terms.length - SUM_SHOWN} smaller` : "";
  const sum = product.factor === 1 ? `${shown}${others}` : `(${shown}${others}) · ${formatNumber(product.factor)}`;
  return `${sum} = ${formatNumber(values[row][column])}`;
}

// Of a bin, the name of the place in it whose number is drawn, `offset` places from its first.
function nameOn(axis, cell, offset) {
  if (axis.size === 1) return axis.names[cell];
  const place = axis.start + cell * axis.size + offset;
  return axis.labels[place] ?? place;
}

function placeIn({ rows, columns }, row, column, offset) {
  const ofRow = nameOn(rows, row, Math.floor(offset / columns.size));
  const ofColumn = nameOn(columns, column, offset % columns.size);
  const binned = rows.size * columns.size > 1 ? ", the largest of its bin" : "";
  return `${rows.title} ${ofRow} · ${columns.title} ${ofColumn}${binned}`;
}

// The number of a cell in words, and, where the panel is a product and the product holds, the sum that it is.
export function describe(panels, panel, row, column, offset = 0, value = panel.values[row][column]) {
  const place = placeIn(panel, row, column, offset);
  if (Number.isNaN(value)) return [place, "masked"];
  if (panel.setByHand.some(([r, c]) => r === row && c === column)) return [place, `${formatNumber(value)}, set by hand`];
  return [place, formatNumber(value), ...(panel.product ? [sumOf(panels, panel, row, column)] : [])];
}

function words(panels, panel, point) {
  const { row, column, tile } = cellAt(panel, point);
  const titles = tile ? [panel.tiles.rows.names[tile[0]], panel.tiles.columns.names[tile[1]]].filter(Boolean) : [];
  const value = point.data.name === "masked" ? NaN : point.z;
  const said = describe(panels, panel, row, column, Number(point.customdata ?? 0), value);
  return [...(titles.length ? [titles.join(", ")] : []), ...said].join("\n");
}

export function showTip(host, panel, event) {
  const point = event.points.find(p => p.data.type === "heatmap");
  if (!point || !panel.rows) return;
  const { tip } = host;
  tip.textContent = words(host.shown.panels.map(each => each.panel), panel, point);
  const box = host.getBoundingClientRect(), mouse = event.event;
  const left = Math.min(mouse.clientX - box.left + 14, box.width - tip.offsetWidth - 4);
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${mouse.clientY - box.top + 16}px`;
  tip.style.visibility = "visible";
}

