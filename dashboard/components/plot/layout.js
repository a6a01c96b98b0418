// How a panel's figure is laid out at the width that it has: labels that have room, gaps that leave colour.

const LABEL_PITCH = 12;      // pixels a label needs; where cells are closer, every second or third label is shown
const LETTER = 6.8;          // pixels of a letter in a label, at most
const NO_GAP = 5;            // cells narrower than this many pixels touch each other

// Labels that would collide are left out, but never that of a marked cell: those beside it give way. A label longer
// than its margin cannot occur (they are cut in Python).
export function thin(axis, pixels, marked) {
  if (!axis?.tickvals || !axis.ticktext) return axis;
  const cells = Math.abs(axis.range[1] - axis.range[0]) / Math.abs((axis.tickvals[1] ?? 1) - (axis.tickvals[0] ?? 0));
  const level = axis.tickangle === 0 ? Math.max(...axis.ticktext.map(text => text.length)) * LETTER : LABEL_PITCH;
  const step = Math.max(1, Math.ceil(Math.max(LABEL_PITCH, level) / (pixels / cells)));
  if (step === 1) return axis;
  const isNear = index => marked.some(mark => Math.abs(mark - index) < step);
  const kept = (_, index) => marked.includes(index) || (index % step === 0 && !isNear(index));
  return { ...axis, tickvals: axis.tickvals.filter(kept), ticktext: axis.ticktext.filter(kept) };
}

// Beside a panel with the same rows, their labels would only repeat: the space goes to the cells.
const ROWED = new Set(["heatmap", "row_bars"]);
export const sharesRows = (panel, before) =>
  Boolean(before?.rows) && ROWED.has(panel.kind) && ROWED.has(before.kind) && panel.rows.kind === before.rows.kind &&
  JSON.stringify(panel.rows.names) === JSON.stringify(before.rows.names);

// What Plotly draws, and the pixels between the axes.
export function fitted(panel, width, rowsAreLabelled) {
  const layout = { ...panel.layout, width, height: panel.layout.height - 30 };
  layout.margin = { ...layout.margin, t: Math.max(4, layout.margin.t - 40) };
  if (rowsAreLabelled) {
    layout.margin.l = 4;
    layout.yaxis = { ...layout.yaxis, showticklabels: false, title: undefined };
  }
  const { l, r, t, b } = layout.margin;
  const area = { left: l, top: t, width: width - l - r, height: layout.height - t - b };
  const marked = place => panel.marked.map(mark => mark[place]).filter(index => index !== null);
  const { tiles } = panel;
  if (!tiles || tiles.columns.names.join("") === "") layout.xaxis = thin(layout.xaxis, area.width, marked(1));
  if (!tiles) layout.yaxis = thin(layout.yaxis, area.height, marked(0));
  layout.dragmode = window.matchMedia("(pointer: coarse)").matches ? false : "zoom";
  // The gap between cells must not eat the colour of narrow ones.
  const gap = (wished, pixels, axis) => (pixels / (axis?.names.length ?? 1) < NO_GAP ? 0 : wished);
  const data = panel.data.map(trace => trace.type !== "heatmap" ? trace : {
    ...trace, showscale: false, hoverinfo: "none", hovertemplate: undefined,
    xgap: gap(trace.xgap, area.width, panel.columns), ygap: gap(trace.ygap, area.height, panel.rows),
  });
  return { data, layout, area };
}
