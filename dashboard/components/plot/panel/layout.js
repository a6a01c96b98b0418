// The layout of a panel's figure at the width that it has: which tick labels fit, and the gaps between cells.
// @ts-check

import { equalScale, placeLabels } from "../drawing/points.js";
import { withMinusSigns, withNumbersThatFit } from "../labels/cell_text.js";
import { withLegendAtReference, withNumbersThatDoNotOverlap } from "../labels/row_numbers.js";
import { shortenRowLabels } from "../labels/row_labels.js";
import { TEXT_SIZE, flattenLabels, staggerLabels, thinLabels, thinLargeRowLabels } from "../labels/tick_labels.js";

/** @typedef {import("./panel.js").Panel} Panel */

const LARGE_TEXT_SIZE = 12;  // pixels: the font of the labels on a phone
const NARROW_CELL = 5;       // cells narrower than this many pixels have no gap between them, so that colour remains
export const TITLE_HEIGHT = 30;     // pixels of the figure that encoder_core leaves for Plotly's title, which is HTML here
const TITLE_MARGIN = 40;     // pixels of the top margin that it leaves for the title
export const SMALL_MARGIN = 4;

/**
 * The height of a panel's plot in pixels, without its title.
 * @type {(panel: Panel) => number}
 */
export const plotHeight = panel => panel.layout.height - TITLE_HEIGHT;

/**
 * The top margin of a panel's plot in pixels, without its title.
 * @param {number} margin  with its title
 */
export const plotTopMargin = margin => Math.max(SMALL_MARGIN, margin - TITLE_MARGIN);

const KINDS_WITH_ROW_LABELS = new Set(["heatmap", "row_bars"]);

/**
 * Whether a panel has the same rows as the panel before it, so that its row labels are left out.
 * @param {Panel} panel
 * @param {Panel} [previous]
 * @returns {boolean}
 */
export function sharesRows(panel, previous) {
  if (!panel.rows || !previous?.rows) return false;
  return KINDS_WITH_ROW_LABELS.has(panel.kind) && KINDS_WITH_ROW_LABELS.has(previous.kind)
    && panel.rows.kind === previous.rows.kind
    && JSON.stringify(panel.rows.names) === JSON.stringify(previous.rows.names);
}

/**
 * The layout with large text, and with the margins that it needs.
 * @param {PlotLayout} layout
 * @returns {PlotLayout}
 */
function enlargeText(layout) {
  const { xaxis, yaxis, margin } = layout, ratio = LARGE_TEXT_SIZE / TEXT_SIZE;
  /** @type {(axis: PlotAxis | undefined) => PlotAxis | undefined} */
  const enlarge = axis => axis && {
    ...axis, tickfont: { ...axis.tickfont, size: LARGE_TEXT_SIZE },
    title: axis.title && { ...axis.title, font: { ...axis.title.font, size: LARGE_TEXT_SIZE } },
  };
  return {
    ...layout, xaxis: enlarge(xaxis), yaxis: enlarge(yaxis), font: { ...layout.font, size: LARGE_TEXT_SIZE },
    margin: { ...margin, l: Math.round(margin.l * ratio), b: Math.round(margin.b * ratio) },
  };
}

/**
 * Plotly's data and layout for a panel of this width, and the area between the axes, in pixels.
 * @param {Panel} panel
 * @param {number} width
 * @param {boolean} omitRowLabels
 * @param {boolean} isLarge  whether the text is large, as on a phone
 */
export function fitPanel(panel, width, omitRowLabels, isLarge = false) {
  const enlarged = isLarge ? enlargeText(panel.layout) : panel.layout;
  /** @type {PlotLayout} */
  let layout = { ...(omitRowLabels ? enlarged : shortenRowLabels(enlarged, width)), width, height: plotHeight(panel) };
  layout.margin = { ...layout.margin, t: plotTopMargin(layout.margin.t) };
  if (omitRowLabels) {
    layout.margin.l = SMALL_MARGIN;
    layout.yaxis = { ...layout.yaxis, showticklabels: false, title: undefined };
  }
  layout = flattenLabels(layout, width - layout.margin.l - layout.margin.r);
  const { l, r, t, b } = layout.margin;
  const area = { left: l, top: t, width: width - l - r, height: layout.height - t - b };
  const markedRows = panel.marked.flatMap(([row]) => row === null ? [] : [row]);
  const markedColumns = panel.marked.flatMap(([, column]) => column === null ? [] : [column]);
  const { tiles } = panel;
  if (panel.kind === "points") return fitPoints(panel, layout, area, markedColumns);
  const staggered = tiles ? null : staggerLabels(layout.xaxis, area.width);
  if (staggered) {
    layout.xaxis = staggered.axis;
    layout.height += staggered.room;
    layout.margin.b += staggered.room;
  } else if (!tiles || tiles.columns.names.join("") === "") {
    layout.xaxis = thinLabels(layout.xaxis, area.width, markedColumns);
  }
  // Tiles come with the labels that fit, but not in large text.
  const rowTicks = layout.yaxis?.tickvals ?? [];
  const markedTicks = tiles ? markedRows.map(row => rowTicks.indexOf(row)) : markedRows;
  layout.yaxis = isLarge ? thinLargeRowLabels(layout.yaxis, area.height, markedTicks)
    : thinLabels(layout.yaxis, area.height, markedTicks, true);
  if (panel.kind === "row_bars") layout = withLegendAtReference(layout, panel.data);
  layout.dragmode = dragMode();
  const cellWidth = area.width / (panel.columns?.names.length ?? 1);
  const cellHeight = area.height / (panel.rows?.names.length ?? 1);
  const traces = panel.kind === "row_bars" ? withNumbersThatDoNotOverlap(panel.data, cellHeight, markedRows) : panel.data;
  const data = traces.map(trace => trace.type !== "heatmap" ? trace : {
    ...withMinusSigns(withNumbersThatFit(trace, cellWidth)), showscale: false, hoverinfo: "none", hovertemplate: undefined,
    xgap: cellWidth < NARROW_CELL ? 0 : trace.xgap, ygap: cellHeight < NARROW_CELL ? 0 : trace.ygap,
  });
  return { data, layout, area };
}

const dragMode = () => window.matchMedia("(pointer: coarse)").matches ? false : "zoom";

/**
 * Points in a plane: both axes have one scale, and labels do not overlap.
 * @param {Panel} panel
 * @param {PlotLayout} layout
 * @param {import("./panel.js").Area} area
 * @param {number[]} marked  points whose labels are placed first
 */
function fitPoints(panel, layout, area, marked) {
  const ranges = equalScale([layout.xaxis?.range ?? [0, 1], layout.yaxis?.range ?? [0, 1]], area);
  layout.xaxis = { ...layout.xaxis, range: ranges[0] };
  layout.yaxis = { ...layout.yaxis, range: ranges[1] };
  layout.dragmode = dragMode();
  return { data: placeLabels(panel.data, ranges, area, marked, layout.annotations), layout, area };
}
