// The grid of a mask: a table whose cells a click, a drag of the mouse or a key toggles. The browser shows a change at
// once, and repeats it in every message until Python has answered it, because quick messages can replace each other.
// @ts-check

import { appendElement, hostElement, setLabel, unlessTakenBack } from "../shared/dom.js";

/**
 * What dashboard/components/mask_grid/__init__.py sends.
 * @typedef {object} MaskGridData
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {string} cells  row by row: "1" visible, "0" hidden
 * @property {number} answered  number of the last message that was answered
 *
 * A change of a cell, and the number of the message with it.
 * @typedef {{ visible: boolean, number: number }} Change
 *
 * The state of a mounted grid. `cells` are those of Python; `changes` are not answered yet.
 * @typedef {object} Grid
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {string} cells
 * @property {Map<number, Change>} changes
 * @property {number} number  of the last message
 * @property {boolean | null} painting  what a drag of the mouse sets; null while there is none
 * @property {HTMLTableCellElement[]} elements  of the cells
 * @property {(message: { number: number, visible: number[], hidden: number[] }) => void} send
 *
 * @typedef {HTMLElement & { grid?: Grid }} GridHost
 */

/** @type {(grid: Grid, index: number) => boolean} */
const isVisible = (grid, index) => grid.changes.get(index)?.visible ?? grid.cells[index] === "1";

/** @type {(grid: Grid, index: number) => void} */
function paintCell(grid, index) {
  const visible = isVisible(grid, index), element = grid.elements[index], width = grid.columns.length;
  const row = grid.rows[Math.floor(index / width)], column = grid.columns[index % width];
  element.classList.toggle("ew-hidden", !visible);
  element.setAttribute("aria-selected", String(visible));
  setLabel(element, `${row} → ${column}: ${visible ? "visible" : "masked"}`);
}

/** @type {(grid: Grid, indices: number[], visible: boolean) => void} */
function setCells(grid, indices, visible) {
  for (const index of indices) {
    grid.changes.set(index, { visible, number: grid.number + 1 });
    paintCell(grid, index);
  }
}

/** @type {(grid: Grid) => void} */
function sendChanges(grid) {
  grid.number += 1;
  /** @type {(visible: boolean) => number[]} */
  const indices = visible => [...grid.changes].filter(([, change]) => change.visible === visible).map(([index]) => index);
  grid.send({ number: grid.number, visible: indices(true), hidden: indices(false) });
}

/** @type {(grid: Grid, indices: number[]) => void} */
function toggle(grid, indices) {
  setCells(grid, indices, !indices.some(index => isVisible(grid, index)));
  sendChanges(grid);
}

/** @type {(grid: Grid, target: EventTarget | null) => number} */
const indexOf = (grid, target) => grid.elements.indexOf(/** @type {HTMLTableCellElement} */ (target));

// With a mouse, a drag sets all cells that it crosses. A finger scrolls when it moves, so only its tap sets a cell.
/** @type {(grid: Grid, table: HTMLTableElement) => void} */
function listenToMouse(grid, table) {
  table.onpointerdown = event => {
    const index = indexOf(grid, event.target);
    if (event.pointerType !== "mouse" || event.button !== 0 || index < 0) return;
    const painting = grid.painting = !isVisible(grid, index);
    setCells(grid, [index], painting);
    const ended = new AbortController();
    const stop = () => {
      ended.abort();
      grid.painting = null;
      sendChanges(grid);
    };
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, stop, { signal: ended.signal });
  };
  table.onpointerover = event => {
    const index = indexOf(grid, event.target);
    if (grid.painting !== null && index >= 0) setCells(grid, [index], grid.painting);
  };
  table.onclick = event => {
    const index = indexOf(grid, event.target), pointer = /** @type {PointerEvent} */ (event).pointerType;
    if (index >= 0 && pointer !== "mouse") toggle(grid, [index]);
  };
}

// The arrow keys move between the cells, and Space or Enter toggles one; Tab reaches one cell of the grid.
/** @type {(grid: Grid, table: HTMLTableElement) => void} */
function listenToKeys(grid, table) {
  table.onkeydown = event => {
    const index = indexOf(grid, event.target), width = grid.columns.length;
    if (index < 0) return;
    const column = index % width;
    /** @type {Record<string, number>} */
    const steps = { ArrowUp: -width, ArrowDown: width, ArrowLeft: column ? -1 : 0, ArrowRight: column < width - 1 ? 1 : 0 };
    const next = grid.elements[index + (steps[event.key] ?? 0)];
    if (event.key === " " || event.key === "Enter") toggle(grid, [index]);
    else if (!(event.key in steps)) return;
    else if (next) {
      grid.elements[index].tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    event.preventDefault();
  };
}

/** @type {(parent: Element, text: string, label: string, onclick: () => void) => void} */
function appendHeader(parent, text, label, onclick) {
  const button = appendElement(appendElement(parent, "th"), "button", "", text);
  button.type = "button";
  setLabel(button, label);
  button.onclick = onclick;
}

/** @type {(host: HTMLElement, grid: Grid) => void} */
function build(host, grid) {
  const { rows, columns } = grid, width = columns.length;
  host.replaceChildren();
  const table = appendElement(host, "table");
  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", "The mask: a row for each query, a column for each key");
  const head = appendElement(appendElement(table, "thead"), "tr"), body = appendElement(table, "tbody");
  appendElement(head, "td", "ew-corner", "query ↓ key →");
  columns.forEach((name, column) => appendHeader(head, name, `Toggle the key ${name} for every query`,
    () => toggle(grid, rows.map((_, row) => row * width + column))));
  grid.elements = [];
  rows.forEach((name, row) => {
    const line = appendElement(body, "tr");
    appendHeader(line, name, `Toggle every key for ${name}`,
      () => toggle(grid, columns.map((_, column) => row * width + column)));
    for (const _ of columns) {
      const cell = appendElement(line, "td");
      cell.tabIndex = grid.elements.length ? -1 : 0;
      cell.setAttribute("role", "gridcell");
      grid.elements.push(cell);
    }
  });
  listenToMouse(grid, table);
  listenToKeys(grid, table);
}

/**
 * Build or update the grid.
 * @param {import("../shared/dom.js").Component<MaskGridData>} component
 */
function show(component) {
  const { rows, columns, cells, answered } = component.data;
  /** @type {GridHost} */
  const host = hostElement(component.parentElement, ".ew-mask_grid");
  // The numbers of a new grid are larger than those of an earlier one with the same key.
  const grid = host.grid ??= {
    rows: [], columns: [], cells: "", changes: new Map(), number: Date.now(), painting: null, elements: [], send: () => {},
  };
  const isNew = grid.rows.join("\n") !== rows.join("\n") || grid.columns.join("\n") !== columns.join("\n");
  Object.assign(grid, { rows, columns, cells });
  grid.send = message => component.setTriggerValue("cells", message);
  for (const [index, { number }] of grid.changes) if (isNew || number <= answered) grid.changes.delete(index);
  if (isNew) build(host, grid);
  grid.elements.forEach((_, index) => paintCell(grid, index));
}

/** @param {import("../shared/dom.js").Component<MaskGridData>} component */
export default function (component) {
  return unlessTakenBack(() => show(component));
}
