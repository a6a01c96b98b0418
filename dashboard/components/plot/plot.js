// The plot component: panels side by side, with operators between them. Plotly repaints them in place.
// @ts-check

import { appendElement, hostElement, showLatest } from "../shared/dom.js";
import { scrollRailToStage } from "../shared/scrolled_lines.js";
import { arrange, ensureElements, releasePlots, stopPlayback } from "./panel/arrange.js";
import { followFigure } from "./drawing/early.js";
import { hideTooltip } from "./interaction/hover.js";
import { loadPlotly } from "./drawing/load_plotly.js";
import { connectSaveMenus, startPlayer } from "./interaction/on_demand.js";
import { schedulePaint } from "./drawing/paint.js";
import { parsePanel } from "./panel/panel.js";
import { appendPlayer } from "./panel/panel_elements.js";
import { appendSwitcher, figureToShow } from "./panel/switcher.js";
import { watchTouches } from "./interaction/touch.js";

/**
 * A panel, its JSON, and the operator before it ("" for none).
 * @typedef {{ operator: string, json: string, panel: import("./panel/panel.js").Panel }} PlotItem
 *
 * The state of a mounted component.
 * @typedef {object} PlotLine
 * @property {PlotHost} host
 * @property {PlotFigure | null} figure  what is on screen
 * @property {PlotItem[]} items
 * @property {number} width  pixels that the arrangement is for. 0: it was hidden, as Streamlit hides a component whose place
 *   on the page changes until the message with its new place arrives
 * @property {boolean} stack  whether the panels are below each other at any width
 * @property {boolean} isStacked  whether they are now
 * @property {boolean} isSwitched  whether only one of them is on screen
 * @property {number} shown  the index of that panel
 * @property {(index: number) => void} showFigure  shows another one
 * @property {HTMLElement} switcher
 * @property {boolean} present  whether one large panel is shown at a time, for a projector
 * @property {number} available  pixels of the window that it can fill
 * @property {import("./panel/panel_elements.js").PanelElements[]} panelElements
 * @property {import("./panel/panel_elements.js").PlayerElements} player
 * @property {HTMLElement} tooltip
 * @property {import("./interaction/hover.js").Hovered | null} hovered  the cell that the tooltip is about
 * @property {import("./interaction/touch.js").Touches} touches
 * @property {{ stop: () => void, toggle: () => void } | null} playback  while the player plays or is paused
 * @property {(cell: import("./panel/panel.js").CellPosition & { panel: number }) => void} sendCell
 * @property {boolean} isPaintScheduled
 * @property {Promise<void>} paintQueue
 * @property {ResizeObserver | null} observer
 * @property {() => void} onWindowResize
 * @property {boolean} isReleased  whether the component was unmounted; a paint that has begun then ends
 *
 * @typedef {HTMLElement & { plotLine?: PlotLine }} PlotHost
 *
 * What dashboard/components/plot/__init__.py sends: the figure, and the names of published files.
 * @typedef {{ panels: { operator: string, panel: string }[], stack: boolean, present: boolean }} PlotFigure
 * @typedef {{ bundle: string, player: string, saver: string }} PlotFiles
 * @typedef {import("./drawing/early.js").Numbered<PlotFigure> & PlotFiles} PlotData
 * @typedef {import("../shared/dom.js").Component<PlotData>} PlotComponent
 */

let clicks = 0;  // a click on the same cell as before is another state: the server must hear of it, too

// A figure is painted when it is shown for the first time.
/** @type {(line: PlotLine, index: number) => void} */
function showFigure(line, index) {
  line.shown = index;
  stopPlayback(line);
  arrange(line);
  if (window.Plotly) schedulePaint(line, window.Plotly);
}

// Of a plot that had no width when it was to be painted, the observer hears as well, until it has one. Streamlit may have
// hidden its component; and in one of a hundred loads of a page, Chromium lays out the panels without their inline style
// for some frames.
/** @type {(line: PlotLine, plotly: Plotly) => void} */
function observeWidth(line, plotly) {
  if (line.observer) return;
  const repaint = () => {
    arrange(line);
    schedulePaint(line, plotly);
  };
  const observer = line.observer = new ResizeObserver(entries => {
    const width = line.host.clientWidth;
    const late = entries.map(({ target }) => target).filter(target => target !== line.host && target.clientWidth);
    for (const plot of late) observer.unobserve(plot);
    if (width && (late.length || Math.abs(width - line.width) >= 2)) repaint();
  });
  observer.observe(line.host);
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
    host, figure: null, items: [], width: 0, stack: false, isStacked: false, isSwitched: false, shown: 0,
    showFigure: index => showFigure(line, index), switcher: appendSwitcher(host),
    panelElements: [], player: appendPlayer(host), tooltip: appendElement(host, "div", "ew-tip"), hovered: null,
    playback: null, touches: watchTouches(host, () => hideTooltip(line)), sendCell: () => {},
    isPaintScheduled: false, paintQueue: Promise.resolve(), observer: null, isReleased: false, present: false,
    available: 0, onWindowResize: () => {},
  };
  return line;
}

/** @type {(line: PlotLine, figure: PlotFigure, files: PlotFiles) => void} */
function update(line, figure, { bundle, player, saver }) {
  if (line.figure === figure && line.width) return;
  line.figure = figure;
  const { panels, stack, present } = figure, previous = line.items;
  const startsPresentation = present && (!line.present || !previous.length);
  line.stack = stack;
  line.present = present;
  line.items = panels.map(({ operator, panel: json }, i) => (
    { operator, json, panel: previous[i]?.json === json ? previous[i].panel : parsePanel(json) }
  ));
  const opensAtFirst = startsPresentation && !new URLSearchParams(location.search).has("cell");
  const [panelsNow, panelsBefore] = [line.items, previous].map(items => items.map(({ panel }) => panel));
  line.shown = figureToShow(panelsNow, panelsBefore, line.shown, opensAtFirst);
  ensureElements(line);
  line.player.playButton.onclick = () => startPlayer(line, player);
  connectSaveMenus(line, saver, bundle);
  arrange(line);  // before Plotly has loaded, so that the space is taken and nothing below moves later
  loadPlotly(bundle).then(
    plotly => {
      if (line.isReleased) return;
      schedulePaint(line, plotly);
      observeWidth(line, plotly);
    },
    () => { if (!line.isReleased) showLoadError(line); },
  );
}

/** @type {(line: PlotLine, component: PlotComponent) => () => void} */
function follow(line, component) {
  const { data } = component;
  line.isReleased = false;
  line.sendCell = cell => component.setStateValue("cell", { ...cell, click: ++clicks });
  return followFigure(
    data, figure => update(line, figure, data), () => component.setTriggerValue("missing", data.revision),
  );
}

/** @type {(line: PlotLine) => void} */
function release(line) {
  line.isReleased = true;
  line.figure = null;
  line.playback?.stop();
  line.observer?.disconnect();
  line.observer = null;
  window.removeEventListener("resize", line.onWindowResize);
  releasePlots(line);
}

/**
 * Mount or update the component. Returns the function that unmounts it.
 * @param {PlotComponent} component
 */
export default function (component) {
  /** @type {PlotHost} */
  const host = hostElement(component.parentElement, ".ew-plot");
  if (!host.plotLine) scrollRailToStage();
  const line = host.plotLine ??= createLine(host);
  return showLatest(host, component, latest => follow(line, latest), () => release(line));
}
