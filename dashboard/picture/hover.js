// What a cell says when the mouse is over it: where it is, its number, and the sum behind it, without asking the server.

import { formatNumber } from "../numbers.js";

const SUM_SHOWN = 3;         // terms of a sum in a hover

// What a heatmap's cell is, in words, and where: its row and column, and its tile in a mosaic.
export function cellAt(meta, point) {
  const x = Math.round(point.x), y = Math.round(point.y);
  if (!meta.tile) return { row: y, column: x, tile: null };
  const [tall, wide, gap] = meta.tile;
  const tile = [Math.floor(y / (tall + gap)), Math.floor(x / (wide + gap))];
  return { row: y % (tall + gap), column: x % (wide + gap), tile };
}

// The sum behind a cell of a product of two panels, its largest terms first: hovering needs no answer of the server.
export function sumOf(host, [left, right, times = 1], row, column) {
  const matrix = panel => host.panels[panel].plot._fullData.find(trace => trace.type === "heatmap").z;
  const rowOf = matrix(left)[row], other = matrix(right);
  const terms = Array.from(rowOf, (a, i) => [a || 0, other[i][column] || 0]).sort((s, t) => Math.abs(t[0] * t[1]) - Math.abs(s[0] * s[1]));
  const total = terms.reduce((sum, [a, b]) => sum + a * b, 0);
  const signed = value => value < 0 ? `(${formatNumber(value)})` : formatNumber(value);
  const shown = terms.slice(0, SUM_SHOWN).map(([a, b]) => `${signed(a)} · ${signed(b)}`).join(" + ");
  const others = terms.length > SUM_SHOWN ? ` + ${terms.length - SUM_SHOWN} smaller` : "";
  const sum = times === 1 ? `${shown}${others}` : `(${shown}${others}) · ${formatNumber(times)}`;
  return `${sum} = ${formatNumber(total * times)}`;
}

// Of a bin, the name of the place in it whose number is drawn, `offset` places from its first.
const nameOn = ([first, size], names, cell, offset) => size === 1 ? names[cell] : first + cell * size + offset;

export function placeIn(meta, row, column, offset = 0) {
  const [rows, columns] = meta.windows ?? [[0, 1], [0, 1]];
  const ofRow = nameOn(rows, meta.rows, row, Math.floor(offset / columns[1]));
  const ofColumn = nameOn(columns, meta.columns, column, offset % columns[1]);
  const binned = rows[1] * columns[1] > 1 ? ", the largest of its bin" : "";
  return `${meta.row_axis} ${ofRow} · ${meta.column_axis} ${ofColumn}${binned}`;
}

function words(host, meta, point) {
  const { row, column, tile } = cellAt(meta, point);
  const where = tile ? `${[meta.row_titles[tile[0]], meta.column_titles[tile[1]]].filter(Boolean).join(", ")}\n` : "";
  const value = point.data.name === "masked" ? "masked" : formatNumber(Number(point.z));
  const sum = meta.product_of ? `\n${sumOf(host, meta.product_of, row, column)}` : "";
  return `${where}${placeIn(meta, row, column, Number(point.customdata ?? 0))}\n${value}${sum}`;
}

export function showTip(host, panel, meta, event) {
  const point = event.points.find(p => p.data.type === "heatmap");
  if (!point || !meta.rows) return;
  const { tip } = host;
  tip.textContent = words(host, meta, point);
  const box = host.getBoundingClientRect(), mouse = event.event;
  const left = Math.min(mouse.clientX - box.left + 14, box.width - tip.offsetWidth - 4);
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${mouse.clientY - box.top + 16}px`;
  tip.style.visibility = "visible";
}
