// The HTML of a line of panels: titles, colour bars, operators and the player. Plotly draws only the plots: titles and
// bars in HTML are faster than Plotly's own, and titles wrap.
// @ts-check

import { appendElement, setLabel, setText } from "../../shared/dom.js";
import { formatNumber } from "../../shared/numbers.js";
import { SYMBOL } from "./panel_widths.js";

const BEYOND = "beyond the colour scale";  // the trace of dots, as encoder_core names it

/** @type {import("../saving/save.js").FileFormat[]} */
export const FORMATS = ["PNG", "SVG", "HTML", "CSV"];

/**
 * The elements of a panel. When it is painted, `area`, `data` and `layout` are set, with the gaps and labels that Plotly
 * does not draw, and `paintedState`.
 * @typedef {object} PanelElements
 * @property {HTMLElement} operator  the operator before the panel
 * @property {HTMLElement} figure
 * @property {HTMLElement} title
 * @property {HTMLElement} colourBar
 * @property {PlotElement} plot
 * @property {HTMLDetailsElement} saveMenu
 * @property {HTMLButtonElement[]} saveButtons  one for each of FORMATS
 * @property {import("./panel.js").Area} [area]
 * @property {PlotTrace[]} [data]
 * @property {PlotLayout} [layout]
 * @property {string} [paintedState]
 *
 * @typedef {object} PlayerElements
 * @property {HTMLElement} row
 * @property {HTMLButtonElement} playButton
 * @property {HTMLButtonElement} skipButton
 * @property {HTMLElement} caption
 *
 * @typedef {import("../plot.js").PlotItem} PlotItem
 */

/**
 * Append the elements of an empty panel.
 * @param {HTMLElement} host
 * @returns {PanelElements}
 */
export function appendPanel(host) {
  const operator = appendElement(host, "div", "ew-op");
  const figure = appendElement(host, "figure", "ew-panel");
  const head = appendElement(figure, "div", "ew-head");
  const title = appendElement(head, "div", "ew-title");
  const colourBar = appendElement(head, "div", "ew-bar");
  const plot = /** @type {PlotElement} */ (appendElement(figure, "div", "ew-chart"));
  plot.setAttribute("role", "img");
  const saveMenu = appendElement(figure, "details", "ew-save");
  appendElement(saveMenu, "summary", "", "⤓");
  const list = appendElement(saveMenu, "div");
  const saveButtons = FORMATS.map(format => appendElement(list, "button", "", format));
  for (const button of saveButtons) button.type = "button";
  saveMenu.onkeydown = ({ key }) => {
    if (key !== "Escape" || !saveMenu.open) return;
    saveMenu.open = false;
    saveMenu.querySelector("summary")?.focus();
  };
  // A finger does not leave the menu, but taps beside it.
  saveMenu.onpointerleave = ({ pointerType }) => { if (pointerType === "mouse") saveMenu.open = false; };
  const closeFromOutside = (/** @type {PointerEvent} */ { target }) => {
    if (!(target instanceof Node && saveMenu.contains(target))) saveMenu.open = false;
  };
  saveMenu.ontoggle = () => {
    if (saveMenu.open) document.addEventListener("pointerdown", closeFromOutside);
    else document.removeEventListener("pointerdown", closeFromOutside);
  };
  return { operator, figure, title, colourBar, plot, saveMenu, saveButtons };
}

/**
 * Append the player. It has a row for itself, so that nothing moves when it starts.
 * @param {HTMLElement} host
 * @returns {PlayerElements}
 */
export function appendPlayer(host) {
  const row = appendElement(host, "div", "ew-player");
  const playButton = appendElement(row, "button", "ew-play");
  const skipButton = appendElement(row, "button", "ew-play", "▶▏");
  const caption = appendElement(row, "div", "ew-caption");
  playButton.type = skipButton.type = "button";
  setLabel(skipButton, "Skip to the end");
  skipButton.disabled = true;
  caption.setAttribute("role", "status");
  return { row, playButton, skipButton, caption };
}

/**
 * Show the player for the first product of the line, or hide it if there is none. In a stack, it is below that panel.
 * `shown` is the panel on screen if there is only one: without the product, there is no player.
 * @param {PlayerElements} player
 * @param {PanelElements[]} panelElements
 * @param {PlotItem[]} items
 * @param {boolean} isStacked
 * @param {number | null} shown
 */
export function updatePlayer(player, panelElements, items, isStacked, shown) {
  const index = items.findIndex(({ panel }) => panel.product);
  player.row.style.display = index < 0 || (shown !== null && shown !== index) ? "none" : "";
  if (index < 0) return;
  panelElements.forEach(({ operator, figure }, i) => { operator.style.order = figure.style.order = String(2 * i); });
  player.row.style.order = String(2 * (isStacked ? index : panelElements.length) + 1);
  const label = `Draw ${items[index].panel.title} cell by cell`;
  setText(player.playButton, "▶");
  setLabel(player.playButton, label);
  setText(player.caption, label);
}

/**
 * Update everything of a panel but its plot and the height of the plot.
 * @param {PanelElements} elements
 * @param {PlotItem} item
 * @param {{ grow: number, margins: number, least: number }} widths  see panel_widths.js
 */
export function updatePanel({ operator, figure, title, colourBar, plot, saveMenu }, item, { grow, margins, least }) {
  const { panel } = item;
  setText(operator, item.operator);
  operator.dataset.sign = item.operator;
  operator.style.display = item.operator ? "" : "none";
  figure.style.flexGrow = String(grow);
  figure.style.flexBasis = margins ? `${margins}px` : "";
  figure.style.minWidth = least ? `${least}px` : "";
  setText(title, panel.title);
  title.title = panel.title;
  title.classList.remove("ew-long", "ew-longest");
  title.classList.toggle("ew-symbol", panel.title.length <= SYMBOL);
  title.style.color = panel.titleColour ?? "";
  plot.setAttribute("aria-label", panel.alt);
  const summary = /** @type {HTMLElement} */ (saveMenu.firstElementChild);
  setLabel(summary, `Save “${panel.title}” or its numbers`);
  updateColourBar(colourBar, panel);
}

/** @type {(colourBar: HTMLElement, panel: import("./panel.js").Panel) => void} */
function updateColourBar(colourBar, panel) {
  colourBar.replaceChildren();
  colourBar.title = "";
  const marked = markedValue(panel);
  if (marked !== undefined) appendElement(colourBar, "span", "ew-marked", formatNumber(marked));
  const scaled = panel.data.find(trace => trace.type === "heatmap" && trace.showscale !== false);
  if (!scaled) return;
  /** @type {[number, string][]} */
  const colourScale = scaled.colorscale;
  const stops = colourScale.map(([share, colour]) => `${colour} ${share * 100}%`);
  const isFromZero = scaled.zmin === 0, end = formatNumber(scaled.zmax, 3);
  if (isFromZero) colourBar.append("0");
  appendElement(colourBar, "i").style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  colourBar.append(isFromZero ? end : `±${end}`);
  if (!panel.data.some(({ name }) => name === BEYOND)) return;
  appendElement(colourBar, "span", "ew-beyond", "• beyond");
  colourBar.title = "Cells with a dot are beyond the scale.";
}

/**
 * The number of the first cell that is marked, if the panel is one matrix and the number is finite.
 * @param {import("./panel.js").Panel} panel
 * @returns {number | undefined}
 */
export function markedValue({ marked, tiles, values }) {
  if (tiles) return undefined;
  const [row, column] = marked.find(mark => mark[0] !== null && mark[1] !== null) ?? [];
  if (typeof row !== "number" || typeof column !== "number") return undefined;
  const value = values?.[row]?.[column];
  return Number.isFinite(value) ? value : undefined;
}
