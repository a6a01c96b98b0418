// Plotly draws the plots of a line, and repaints in place those that have changed.
// @ts-check

import { fitItem, hasRowLabels, stopPlayback } from "../panel/arrange.js";
import { renderAxisLabels, withoutAxisLabels } from "../labels/axis_labels.js";
import { renderGaps, withoutGaps } from "./cell_gaps.js";
import { colourCellText } from "../labels/cell_text.js";
import { hideTooltip, hoverAgain, showTooltip } from "../interaction/hover.js";
import { cellAt, pointAt } from "../panel/panel.js";
import { draw } from "./redraw.js";
import { useClick } from "../interaction/touch.js";

/** @typedef {import("../plot.js").PlotLine} PlotLine */

const ZOOMS = ["plotly_relayout", "plotly_relayouting"];
const EVENTS = ["plotly_hover", "plotly_unhover", "plotly_click", ...ZOOMS];

/** @type {(line: PlotLine, index: number, fitted: ReturnType<typeof fitItem>) => void} */
function listenToPlot(line, index, { data, layout, area }) {
  const { panel } = line.items[index], { plot } = line.panelElements[index];
  plot.on("plotly_hover", event => { if (!line.touches.isSwipe) showTooltip(line, plot, panel, event); });
  plot.on("plotly_unhover", () => hideTooltip(line));
  plot.on("plotly_click", event => {
    if (!useClick(line.touches)) return;
    const point = panel.rows ? pointAt(plot, area, line.touches) : event.points[0];
    line.sendCell({ panel: index, ...cellAt(panel, point) });
    if (line.isSwitched && panel.opensNext) line.showFigure(index + 1);
  });
  for (const zoom of ZOOMS) plot.on(zoom, () => renderAxisLabels(plot, layout, area));
  plot.on("plotly_relayout", () => {  // while a drag goes on, Plotly moves them
    renderGaps(plot, data, layout.plot_bgcolor, area);
    colourCellText(plot, data);
  });
}

/** @type {(element: HTMLElement) => boolean} */
const isCut = ({ scrollHeight, scrollWidth, clientHeight, clientWidth }) =>
  scrollHeight > clientHeight + 1 || scrollWidth > clientWidth;

// Paint every panel whose figure or size has changed. All sizes are read before anything is drawn: reading one after
// each drawing would compute the layout of the whole page each time.
/** @type {(line: PlotLine, plotly: Plotly) => Promise<void>} */
async function paint(line, plotly) {
  line.isPaintScheduled = false;
  const { items, panelElements } = line;
  const widths = panelElements.map(({ plot }) => plot.clientWidth);
  const titles = panelElements.map(({ title }) => title), cutTitles = titles.filter(isCut);
  const smallTitles = cutTitles.length && !line.isStacked ? titles : cutTitles;  // titles beside each other have one size
  for (const title of smallTitles) title.classList.add("ew-long");
  for (const title of cutTitles.filter(isCut)) title.classList.add("ew-longest");
  for (const [i, { json, panel }] of items.entries()) {
    if (line.isReleased) return;
    const elements = panelElements[i];
    if (!widths[i]) {
      if (!line.isSwitched || i === line.shown) line.observer?.observe(elements.plot);  // see `observeWidth`
      continue;
    }
    const omitRowLabels = !hasRowLabels(items, i, line.isStacked);
    const height = line.present ? line.available : "";
    const state = [widths[i], height, omitRowLabels, line.isStacked, json].join();
    if (elements.paintedState === state) continue;
    elements.paintedState = state;
    stopPlayback(line);
    const fitted = fitItem(line, i, widths[i]), { data, layout, area } = fitted;
    Object.assign(elements, fitted);
    for (const event of EVENTS) elements.plot.removeAllListeners?.(event);
    await draw(elements.plot, withoutGaps(data), withoutAxisLabels(layout), plotly);
    renderGaps(elements.plot, data, layout.plot_bgcolor, area);
    colourCellText(elements.plot, data);
    renderAxisLabels(elements.plot, layout, area);
    listenToPlot(line, i, fitted);
    hoverAgain(line, elements.plot, plotly);
  }
}

// Paints run one after another. A change that arrives while a paint is scheduled is part of that paint.
/** @type {(line: PlotLine, plotly: Plotly) => void} */
export function schedulePaint(line, plotly) {
  if (line.isPaintScheduled) return;
  line.isPaintScheduled = true;
  line.paintQueue = line.paintQueue.then(() => paint(line, plotly)).catch(error => {
    if (!line.isReleased) console.error(error);  // Plotly cannot finish what was released in the meantime
  });
}
