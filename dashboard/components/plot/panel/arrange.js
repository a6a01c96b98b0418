// The elements of a line of figures: their number, their arrangement, titles, colour bars and heights; not the plots.
// @ts-check

import { appendElement } from "../../shared/dom.js";
import { withNumbersNear } from "../labels/row_numbers.js";
import { fitPanel, plotHeight, sharesRows } from "./layout.js";
import { appendPanel, appendPlayer, markedValue, updatePanel, updatePlayer } from "./panel_elements.js";
import { isCrowded, panelWidths } from "./panel_widths.js";
import { availableHeight, drawnPanel } from "./present.js";
import { appendSwitcher, isSwitched, updateSwitcher } from "./switcher.js";

/**
 * @typedef {import("../plot.js").PlotLine} PlotLine
 * @typedef {import("../plot.js").PlotItem} PlotItem
 */

const STACKED_BELOW = 640;   // pixels; in a narrower line the panels are below each other
const LEAST_PANEL = 125;     // pixels for each panel of a line; seven have room beside the sidebar in a window of 1,280

/** @type {(line: PlotLine) => void} */
export function releasePlots({ panelElements }) {
  for (const elements of panelElements) {
    window.Plotly?.purge(elements.plot);
    elements.paintedState = undefined;
  }
}

// The elements stay while the number of panels stays, so that Plotly can repaint instead of drawing from scratch.
/** @type {(line: PlotLine) => void} */
export function ensureElements(line) {
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
export const hasRowLabels = (items, index, isStacked) => isStacked || !sharesRows(items[index].panel, items[index - 1]?.panel);

/** @type {(line: PlotLine, items: PlotItem[], isStacked: boolean) => import("./panel_widths.js").LineItem[]} */
const lineItems = (line, items, isStacked) => items.map((item, i) => (
  { ...item, hasRowLabels: hasRowLabels(line.items, i, isStacked), isMarked: markedValue(item.panel) !== undefined }
));

// Everything but the plots: the arrangement of the panels, their titles, colour bars and heights.
/** @type {(line: PlotLine) => void} */
export function arrange(line) {
  const { host, items, panelElements, player, stack } = line;
  line.width = host.clientWidth;
  const isNarrow = line.width < Math.max(STACKED_BELOW, LEAST_PANEL * items.length);
  const isStacked = line.isStacked = stack || line.present || isNarrow || isCrowded(lineItems(line, items, false), line.width);
  line.isSwitched = line.present ? items.length > 1
    : isStacked && !stack && isSwitched(items.map(({ panel }) => panel));
  if (line.present) line.available = availableHeight(host);
  host.classList.toggle("ew-stack", isStacked);
  host.classList.toggle("ew-switched", line.isSwitched);
  panelElements.forEach(({ figure }, i) => figure.classList.toggle("ew-shown", i === line.shown));
  const drawn = items.map(item => ({ ...item, panel: drawnPanel(line, item.panel) }));
  const widths = panelWidths(lineItems(line, drawn, isStacked), line.width);
  panelElements.forEach((elements, i) => {
    updatePanel(elements, drawn[i], isStacked ? { ...widths[i], margins: 0, least: 0 } : widths[i]);
  });
  updateSwitcher(line.switcher, items, line.shown, line.showFigure);
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
export function fitItem(line, index, width) {
  const { items, isStacked, present } = line;
  const panel = drawnPanel(line, items[index].panel), omitRowLabels = !hasRowLabels(items, index, isStacked);
  const fitted = fitPanel(panel, width, omitRowLabels, isStacked && !present);
  return present && panel.kind === "row_bars" ? withNumbersNear(fitted) : fitted;
}

// The line may have changed while the player was running: it then has another product, or none.
/** @type {(line: PlotLine) => void} */
export function stopPlayback(line) {
  if (!line.playback) return;
  line.playback.stop();
  updatePlayer(line.player, line.panelElements, line.items, line.isStacked, line.isSwitched ? line.shown : null);
}
