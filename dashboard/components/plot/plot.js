// The plot component: panels side by side, with operators between them. Plotly repaints them in place.
// @ts-check

import { appendElement, hostElement } from "../dom.js";
import { hideTooltip, hoverAgain, showTooltip } from "./hover.js";
import { fitPanel, plotHeight, sharesRows } from "./layout.js";
import { loadPlotly } from "./load_plotly.js";
import { connectSaveMenus, startPlayer } from "./on_demand.js";
import { cellAt, parsePanel, pointAt } from "./panel.js";
import { availableHeight, drawnPanel } from "./present.js";
import { appendPanel, appendPlayer, updatePanel, updatePlayer } from "./panel_elements.js";
import { scrollRailToStage } from "./rail.js";
import { appendSwitcher, figureToShow, isSwitched, updateSwitcher } from "./switcher.js";
import { useClick, watchTouches } from "./touch.js";

/**
 * A panel, its JSON, and the operator before it ("" for none).
 * @typedef {{ operator: string, json: string, panel: import("./panel.js").Panel }} PlotItem
 *
 * The state of a mounted component.
 * @typedef {object} PlotLine
 * @property {PlotHost} host
 * @property {PlotItem[]} items
 * @property {boolean} stack  whether the panels are below each other at any width
 * @property {boolean} isStacked  whether they are now
 * @property {boolean} isSwitched  whether only one of them is on screen
 * @property {number} shown  the index of that panel
 * @property {HTMLElement} switcher
 * @property {boolean} present  whether one large panel is shown at a time, for a projector
 * @property {number} available  pixels of the window that it can fill
 * @property {import("./panel_elements.js").PanelElements[]} panelElements
 * @property {import("./panel_elements.js").PlayerElements} player
 * @property {HTMLElement} tooltip
 * @property {import("./hover.js").Hovered | null} hovered  the cell that the tooltip is about
 * @property {import("./touch.js").Touches} touches
 * @property {{ stop: () => void, toggle: () => void } | null} playback  while the player plays or is paused
 * @property {(cell: import("./panel.js").CellPosition & { panel: number }) => void} sendCell
 * @property {boolean} isPaintScheduled
 * @property {Promise<void>} paintQueue
 * @property {ResizeObserver | null} observer
 * @property {() => void} onWindowResize
 * @property {boolean} isReleased  whether the component was unmounted; a paint that has begun then ends
 *
 * @typedef {HTMLElement & { plotLine?: PlotLine }} PlotHost
 *
 * What dashboard/components/plot/__init__.py sends. `bundle`, `player` and `saver` are names of published files.
 * @typedef {object} PlotData
 * @property {{ operator: string, panel: string }[]} panels
 * @property {boolean} stack
 * @property {boolean} present
 * @property {string} bundle
 * @property {string} player
 * @property {string} saver
 */

const STACKED_BELOW = 640;   // pixels; in a narrower line the panels are below each other

let clicks = 0;  // a click on the same cell as before is another state: the server must hear of it, too

/** @type {(line: PlotLine) => void} */
function releasePlots({ panelElements }) {
  for (const { plot } of panelElements) window.Plotly?.purge(plot);
}

// The elements stay while the number of panels stays, so that Plotly can repaint instead of drawing from scratch.
/** @type {(line: PlotLine) => void} */
function ensureElements(line) {
  if (line.panelElements.length === line.items.length) return;
  line.playback?.stop();
  releasePlots(line);
  line.host.replaceChildren();
  line.switcher = appendSwitcher(line.host);
  line.panelElements = line.items.map(() => appendPanel(line.host));
  line.player = appendPlayer(line.host);
  line.tooltip = appendElement(line.host, "div", "ew-tip");
}

/** @type {(items: PlotItem[], index: number, isStacked: boolean) => boolean} */
const hasRowLabels = (items, index, isStacked) => isStacked || !sharesRows(items[index].panel, items[index - 1]?.panel);

// Everything but the plots: the arrangement of the panels, their titles, colour bars and heights.
/** @type {(line: PlotLine) => void} */
function arrange(line) {
  const { host, items, panelElements, player, stack } = line;
  const isStacked = line.isStacked = stack || line.present || host.clientWidth < STACKED_BELOW;
  line.isSwitched = line.present ? items.length > 1
    : isStacked && !stack && isSwitched(items.map(({ panel }) => panel));
  if (line.present) line.available = availableHeight(host);
  host.classList.toggle("ew-stack", isStacked);
  host.classList.toggle("ew-switched", line.isSwitched);
  panelElements.forEach(({ figure }, i) => figure.classList.toggle("ew-shown", i === line.shown));
  panelElements.forEach((elements, i) => {
    updatePanel(elements, { ...items[i], panel: drawnPanel(line, items[i].panel) }, hasRowLabels(items, i, isStacked));
  });
  updateSwitcher(line.switcher, items, line.shown, index => showFigure(line, index));
  if (!line.playback) updatePlayer(player, panelElements, items, isStacked, line.isSwitched ? line.shown : null);
  updateHeights(line);  // last: it reads sizes
}

// A panel whose labels are in two lines is higher than encoder_core says. All widths are read before a height is set.
/** @type {(line: PlotLine) => void} */
function updateHeights(line) {
  const widths = line.panelElements.map(({ plot }) => plot.clientWidth);
  line.panelElements.forEach(({ plot }, i) => {
    const height = widths[i] ? fitItem(line, i, widths[i]).layout.height : plotHeight(drawnPanel(line, line.items[i].panel));
    plot.style.height = `${height}px`;
  });
}

/** @type {(line: PlotLine, index: number, width: number) => ReturnType<typeof fitPanel>} */
function fitItem(line, index, width) {
  const { items, isStacked, present } = line;
  return fitPanel(drawnPanel(line, items[index].panel), width, !hasRowLabels(items, index, isStacked), isStacked && !present);
}

// A figure is painted when it is shown for the first time.
/** @type {(line: PlotLine, index: number) => void} */
function showFigure(line, index) {
  line.shown = index;
  stopPlayback(line);
  arrange(line);
  if (window.Plotly) schedulePaint(line, window.Plotly);
}

/** @type {(line: PlotLine, plot: PlotElement, index: number, panel: import("./panel.js").Panel, area: import("./panel.js").Area) => void} */
function listenToPlot(line, plot, index, panel, area) {
  for (const event of ["plotly_hover", "plotly_unhover", "plotly_click"]) plot.removeAllListeners(event);
  plot.on("plotly_hover", event => { if (!line.touches.isSwipe) showTooltip(line, plot, panel, event); });
  plot.on("plotly_unhover", () => hideTooltip(line));
  plot.on("plotly_click", event => {
    if (!useClick(line.touches)) return;
    const point = panel.rows ? pointAt(plot, area, line.touches) : event.points[0];
    line.sendCell({ panel: index, ...cellAt(panel, point) });
    if (line.isSwitched && panel.opensNext) showFigure(line, index + 1);
  });
}

/** @type {(element: HTMLElement) => boolean} */
const isCut = ({ scrollHeight, scrollWidth, clientHeight, clientWidth }) =>
  scrollHeight > clientHeight + 1 || scrollWidth > clientWidth;

// The line may have changed while the player was running: it then has another product, or none.
/** @type {(line: PlotLine) => void} */
function stopPlayback(line) {
  if (!line.playback) return;
  line.playback.stop();
  updatePlayer(line.player, line.panelElements, line.items, line.isStacked, line.isSwitched ? line.shown : null);
}

// Paint every panel whose figure or size has changed. All sizes are read before anything is drawn: reading one after
// each drawing would compute the layout of the whole page each time.
/** @type {(line: PlotLine, plotly: Plotly) => Promise<void>} */
async function paint(line, plotly) {
  line.isPaintScheduled = false;
  const { items, panelElements } = line;
  const widths = panelElements.map(({ plot }) => plot.clientWidth);
  const cutTitles = panelElements.map(({ title }) => title).filter(isCut);
  for (const title of cutTitles) title.classList.add("ew-long");
  for (const [i, { json, panel }] of items.entries()) {
    if (line.isReleased) return;
    if (!widths[i]) continue;  // it is not on screen
    const elements = panelElements[i], omitRowLabels = !hasRowLabels(items, i, line.isStacked);
    const height = line.present ? line.available : "";
    const state = [widths[i], height, omitRowLabels, line.isStacked, json].join();
    if (elements.paintedState === state) continue;
    elements.paintedState = state;
    stopPlayback(line);
    const { data, layout, area } = fitItem(line, i, widths[i]);
    elements.area = area;
    await plotly.react(elements.plot, data, layout, { displayModeBar: false, responsive: false });
    listenToPlot(line, elements.plot, i, panel, area);
    hoverAgain(line, elements.plot, plotly);
  }
}

// Paints run one after another. A change that arrives while a paint is scheduled is part of that paint.
/** @type {(line: PlotLine, plotly: Plotly) => void} */
function schedulePaint(line, plotly) {
  if (line.isPaintScheduled) return;
  line.isPaintScheduled = true;
  line.paintQueue = line.paintQueue.then(() => paint(line, plotly)).catch(error => {
    if (!line.isReleased) console.error(error);  // Plotly cannot finish what was released in the meantime
  });
}

/** @type {(line: PlotLine, plotly: Plotly) => void} */
function observeWidth(line, plotly) {
  if (line.observer) return;
  let width = line.host.clientWidth;
  const repaint = () => {
    arrange(line);
    schedulePaint(line, plotly);
  };
  line.observer = new ResizeObserver(() => {
    if (Math.abs(line.host.clientWidth - width) < 2 || !line.host.clientWidth) return;
    width = line.host.clientWidth;
    repaint();
  });
  line.observer.observe(line.host);
  window.addEventListener("resize", line.onWindowResize = () => { if (line.present) repaint(); });
}

/** @type {(line: PlotLine) => void} */
function showLoadError(line) {
  line.panelElements = [];
  line.host.replaceChildren();
  appendElement(line.host, "p", "ew-failed", "The figures need plotly.js, which did not load. Reload the page.");
}

/** @type {(host: PlotHost) => PlotLine} */
function createLine(host) {
  /** @type {PlotLine} */
  const line = {
    host, items: [], stack: false, isStacked: false, isSwitched: false, shown: 0, switcher: appendSwitcher(host),
    panelElements: [], player: appendPlayer(host), tooltip: appendElement(host, "div", "ew-tip"), hovered: null,
    playback: null, touches: watchTouches(host, () => hideTooltip(line)), sendCell: () => {},
    isPaintScheduled: false, paintQueue: Promise.resolve(), observer: null, isReleased: false, present: false,
    available: 0, onWindowResize: () => {},
  };
  return line;
}

/**
 * Mount or update the component. Returns the function that unmounts it.
 * @param {import("../dom.js").Component<PlotData>} component
 */
export default function (component) {
  const { panels, stack, present, bundle, player, saver } = component.data;
  /** @type {PlotHost} */
  const host = hostElement(component.parentElement, ".ew-plot");
  if (!host.plotLine) scrollRailToStage();
  const line = host.plotLine ??= createLine(host);
  const previous = line.items;
  line.stack = stack;
  line.present = present;
  line.isReleased = false;
  line.items = panels.map(({ operator, panel: json }, i) => (
    { operator, json, panel: previous[i]?.json === json ? previous[i].panel : parsePanel(json) }
  ));
  const opensAtFirst = present && !new URLSearchParams(location.search).has("cell");
  const [panelsNow, panelsBefore] = [line.items, previous].map(items => items.map(({ panel }) => panel));
  line.shown = figureToShow(panelsNow, panelsBefore, line.shown, opensAtFirst);
  line.sendCell = cell => component.setStateValue("cell", { ...cell, click: ++clicks });
  ensureElements(line);
  line.player.playButton.onclick = () => startPlayer(line, player);
  connectSaveMenus(line, saver, bundle);
  arrange(line);  // before Plotly has loaded, so that the space is taken and nothing below moves later
  loadPlotly(bundle).then(
    plotly => {
      schedulePaint(line, plotly);
      observeWidth(line, plotly);
    },
    () => showLoadError(line),
  );
  return () => {
    line.isReleased = true;
    line.playback?.stop();
    line.observer?.disconnect();
    window.removeEventListener("resize", line.onWindowResize);
    releasePlots(line);
  };
}
