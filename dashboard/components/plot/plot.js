// The plot component: panels side by side, with operators between them. Plotly repaints them in place.
// @ts-check

import { appendElement, hostElement, staticUrl } from "../dom.js";
import { describeCell, showTooltip } from "./hover.js";
import { fitPanel, sharesRows } from "./layout.js";
import { loadPlotly } from "./load_plotly.js";
import { cellAt, parsePanel } from "./panel.js";
import { availableHeight, drawnPanel, isShown, updateFigureButtons } from "./present.js";
import { FORMATS, appendPanel, appendPlayer, updatePanel, updatePlayer } from "./panel_elements.js";

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
 * @property {boolean} present  whether one large panel is shown at a time, for a projector
 * @property {number} presented  the index of that panel
 * @property {number} available  pixels of the window that it can fill
 * @property {HTMLElement} figureButtons  the buttons that select it
 * @property {import("./panel_elements.js").PanelElements[]} panelElements
 * @property {import("./panel_elements.js").PlayerElements} player
 * @property {HTMLElement} tooltip
 * @property {{ stop: () => void, toggle: () => void } | null} playback  while the player plays or is paused
 * @property {(cell: import("./panel.js").CellPosition & { panel: number }) => void} sendCell
 * @property {boolean} isPaintScheduled
 * @property {Promise<void>} paintQueue
 * @property {ResizeObserver | null} observer
 * @property {() => void} repaint  arrange and paint again; nothing before Plotly has loaded
 * @property {() => void} onWindowResize
 * @property {(index: number) => void} selectFigure
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
  line.figureButtons = appendElement(line.host, "div", "ew-figures");
  line.panelElements = line.items.map(() => appendPanel(line.host));
  line.player = appendPlayer(line.host);
  line.tooltip = appendElement(line.host, "div", "ew-tip");
}

/** @type {(items: PlotItem[], index: number, isStacked: boolean) => boolean} */
const hasRowLabels = (items, index, isStacked) => isStacked || !sharesRows(items[index].panel, items[index - 1]?.panel);

// Everything but the plots: the arrangement of the panels, their titles, colour bars and heights.
/** @type {(line: PlotLine) => void} */
function arrange(line) {
  const { host, items, panelElements, player, playback, stack } = line;
  const isStacked = line.isStacked = stack || line.present || host.clientWidth < STACKED_BELOW;
  host.classList.toggle("ew-stack", isStacked);
  if (line.present) line.available = availableHeight(host);
  line.presented = Math.min(line.presented, items.length - 1);
  panelElements.forEach((elements, i) => {
    updatePanel(elements, { ...items[i], panel: drawnPanel(line, items[i].panel) }, hasRowLabels(items, i, isStacked));
    elements.figure.style.display = isShown(line, i) ? "" : "none";
  });
  updateFigureButtons(line);
  if (!playback) updatePlayer(player, panelElements, items, isStacked);
}

/** @type {(line: PlotLine, plot: PlotElement, index: number, panel: import("./panel.js").Panel) => void} */
function listenToPlot(line, plot, index, panel) {
  for (const event of ["plotly_hover", "plotly_unhover", "plotly_click"]) plot.removeAllListeners(event);
  plot.on("plotly_hover", event => showTooltip(line, panel, event));
  plot.on("plotly_unhover", () => { line.tooltip.style.visibility = "hidden"; });
  plot.on("plotly_click", event => line.sendCell({ panel: index, ...cellAt(panel, event.points[0]) }));
}

/** @type {(element: HTMLElement) => boolean} */
const isCut = ({ scrollHeight, scrollWidth, clientHeight, clientWidth }) =>
  scrollHeight > clientHeight + 1 || scrollWidth > clientWidth;

// The line may have changed while the player was running: it then has another product, or none.
/** @type {(line: PlotLine) => void} */
function stopPlayback(line) {
  if (!line.playback) return;
  line.playback.stop();
  updatePlayer(line.player, line.panelElements, line.items, line.isStacked);
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
    if (!isShown(line, i)) {
      panelElements[i].paintedState = `hidden,${json}`;
      continue;
    }
    const elements = panelElements[i], omitRowLabels = !hasRowLabels(items, i, line.isStacked);
    const size = line.present ? `${widths[i]}x${line.available}` : widths[i];
    const state = [size, omitRowLabels, json].join();
    if (elements.paintedState === state) continue;
    elements.paintedState = state;
    stopPlayback(line);
    const { data, layout, area } = fitPanel(drawnPanel(line, panel), widths[i], omitRowLabels);
    elements.area = area;
    await plotly.react(elements.plot, data, layout, { displayModeBar: false, responsive: false });
    listenToPlot(line, elements.plot, i, panel);
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
  line.repaint = () => {
    arrange(line);
    schedulePaint(line, plotly);
  };
  line.observer = new ResizeObserver(() => {
    if (Math.abs(line.host.clientWidth - width) < 2 || !line.host.clientWidth) return;
    width = line.host.clientWidth;
    line.repaint();
  });
  line.observer.observe(line.host);
  window.addEventListener("resize", line.onWindowResize = () => { if (line.present) line.repaint(); });
}

// On a phone the rail is wider than the screen: scroll it to the link of the current stage. The page must not scroll,
// because plots are also mounted below the place that the user reads: the effect of the first edit.
function scrollRailToStage() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".st-key-rail a");
  const link = [...links].filter(({ pathname }) => pathname === window.location.pathname).at(-1);
  const rail = link?.closest(".st-key-rail");
  if (!link || !rail) return;
  const linkBox = link.getBoundingClientRect(), railBox = rail.getBoundingClientRect();
  rail.scrollLeft += (linkBox.left + linkBox.right - railBox.left - railBox.right) / 2;
}

// The player's script is loaded at its first use.
/** @type {(line: PlotLine, script: string) => Promise<void>} */
async function startPlayer(line, script) {
  const { play } = await import(staticUrl(script));
  const panels = line.items.map(({ panel }) => panel), index = panels.findIndex(panel => panel.product);
  if (index < 0) return;  // the product went while the script was loaded
  const product = /** @type {import("./panel.js").MatrixPanel} */ (panels[index]);
  if (!line.panelElements.every(({ area }) => area)) return;  // nothing is painted yet
  play(line, index, (/** @type {number} */ row, /** @type {number} */ column) => {
    const [position, value, sum] = describeCell(panels, product, row, column);
    return `${position}: ${sum ?? value}`;
  });
}

// The script that saves figures is loaded at its first use.
/** @type {(line: PlotLine, script: string, bundle: string) => void} */
function connectSaveMenus({ items, panelElements }, script, bundle) {
  panelElements.forEach(({ plot, saveMenu, saveButtons }, i) => saveButtons.forEach((button, j) => {
    button.onclick = async () => {
      saveMenu.open = false;
      const { savePanel } = await import(staticUrl(script));
      await savePanel(FORMATS[j], items[i], plot, bundle);
    };
  }));
}

/** @type {(line: PlotLine) => void} */
function showLoadError(line) {
  line.panelElements = [];
  line.host.replaceChildren();
  appendElement(line.host, "p", "ew-failed", "The figures need plotly.js, which did not load. Reload the page.");
}

/** @type {(host: PlotHost) => PlotLine} */
function createLine(host) {
  return {
    host, items: [], stack: false, isStacked: false, panelElements: [], player: appendPlayer(host),
    tooltip: appendElement(host, "div", "ew-tip"), playback: null, sendCell: () => {}, isPaintScheduled: false,
    paintQueue: Promise.resolve(), observer: null, isReleased: false, present: false, presented: 0, available: 0,
    figureButtons: document.createElement("div"), repaint: () => {}, onWindowResize: () => {}, selectFigure: () => {},
  };
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
  line.selectFigure = index => {
    line.presented = index;
    line.repaint();
  };
  line.isReleased = false;
  line.items = panels.map(({ operator, panel: json }, i) => (
    { operator, json, panel: previous[i]?.json === json ? previous[i].panel : parsePanel(json) }
  ));
  line.sendCell = cell => component.setStateValue("cell", cell);
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
