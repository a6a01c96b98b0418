// Draws a plot, and draws it again where only numbers have changed: those of its cells and bars, its size, the ends of its
// axes, the places of its outlines. Plotly.react would first fill in and compare all other attributes, and then draw the
// frame as well, which takes two thirds of its time. The numbers go into what Plotly has filled in before, `_fullData` and
// `_fullLayout`, and Plotly.relayout draws that, as after a zoom.
// tests/browser/test_redraw.py compares the result with what Plotly.react draws.
// @ts-check

// Only the cells can be dragged, not the ends of the axes.
const CONFIG = { displayModeBar: false, responsive: false, showAxisDragHandles: false };

// The numbers of a trace, of an axis and of an outline, and those parts of the layout that are not only compared.
const NUMBERS = ["x", "y", "z", "zmin", "zmax", "text", "hovertext", "customdata"];
const ENDS = ["range", "tickvals", "ticktext"];
const PLACES = ["x0", "x1", "y0", "y1", "path"];
const AXES = ["xaxis", "yaxis"];
const REPLACED = ["width", "height", "margin", "shapes", "uirevision"];

/** @typedef {{ [attribute: string]: any }} Attributes */

/** @type {WeakMap<PlotElement, string>} */
const drawnFrames = new WeakMap();

/** @type {(target: Attributes, source: Attributes, names: string[]) => void} */
function copy(target, source, names) {
  for (const name of names) if (source[name] !== undefined) target[name] = source[name];
}

/** @type {(object: Attributes, names: string[]) => Attributes} */
const withoutValues = (object, names) =>
  ({ ...object, ...Object.fromEntries(names.map(name => [name, object[name] !== undefined])) });

/**
 * All of a figure but its numbers.
 * @param {PlotTrace[]} data
 * @param {PlotLayout} layout
 */
function frame(data, layout) {
  const traces = data.map(trace => withoutValues(trace, NUMBERS));
  const axes = AXES.map(name => withoutValues(layout[name] ?? {}, ENDS));
  const shapes = layout.shapes?.map((/** @type {Attributes} */ shape) => withoutValues(shape, PLACES));
  return JSON.stringify([traces, axes, shapes, withoutValues(layout, [...AXES, ...REPLACED])]);
}

/** @type {(trace: PlotTrace) => boolean} */
const isKnown = ({ type, mode, x, y, z }) =>
  (type === "heatmap" || type === "bar" || (type === "scatter" && mode)) && (z ?? y ?? x)?.length > 0;

/**
 * Whether the numbers are all that Plotly has to know. It reads more from the data if an axis has categories or no range,
 * if a trace has no points, which then is not visible, or if a scatter has no mode, which then depends on its length. What
 * the user has zoomed, Plotly.react keeps.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data
 * @param {PlotLayout} layout
 */
const needsNumbersOnly = ({ _fullData: fullData, _fullLayout: full }, data, layout) =>
  full._preGUI && Object.keys(full._preGUI).length === 0
  && AXES.every(name => layout[name]?.range && full[name].type === "linear")
  && data.every(isKnown) && fullData.every(({ visible }) => visible === true);

/** @type {(full: PlotLayout, layout: PlotLayout) => void} */
function replaceLayout(full, layout) {
  const { margin, width, height, uirevision, shapes = [] } = layout;
  Object.assign(full, { width, height, uirevision });
  Object.assign(full.margin, margin);
  Object.assign(full._size, margin, { w: width - margin.l - margin.r, h: height - margin.t - margin.b });
  for (const name of AXES) {
    copy(full[name], layout[name] ?? {}, ENDS);
    Object.assign(full[name], { uirevision, _input: layout[name] });
    full[name].setScale();
  }
  shapes.forEach((/** @type {Attributes} */ shape, /** @type {number} */ i) => {
    copy(full.shapes[i], shape, PLACES);
    full.shapes[i]._input = shape;
  });
}

/** @type {(plot: PlotElement, data: PlotTrace[]) => void} */
function replaceData(plot, data) {
  plot.calcdata = data.map((trace, i) => {
    const full = plot._fullData[i];
    copy(full, trace, NUMBERS);
    full._input = trace;
    if (trace.type !== "heatmap") full._length = Math.min(...[trace.x, trace.y].flatMap(values => values?.length ?? []));
    const points = full._module.calc(plot, full);
    Object.assign(points[0], { trace: full, t: points[0].t ?? {} });
    return points;
  });
  const { _visibleModules: modules, _plots: subplots } = plot._fullLayout;
  for (const module of modules) module.crossTraceCalc?.(plot, subplots.xy);  // the places of bars
}

/** @type {(plot: PlotElement, data: PlotTrace[], layout: PlotLayout, plotly: Plotly) => Promise<void>} */
async function drawNumbers(plot, data, layout, plotly) {
  const full = plot._fullLayout;
  plot.data = data;
  plot.layout = { ...layout, xaxis: { ...layout.xaxis }, yaxis: { ...layout.yaxis } };  // Plotly writes into the axes
  replaceLayout(full, plot.layout);
  replaceData(plot, data);
  full._skipDefaults = true;
  const { xaxis, yaxis, plot_bgcolor } = plot.layout;  // the background, because that also applies the new size
  await plotly.relayout(plot, { "xaxis.range": xaxis?.range, "yaxis.range": yaxis?.range, plot_bgcolor });
  const cells = plot.querySelector(".nsewdrag"), { _offset: x, _length: width } = full.xaxis ?? {};
  const { _offset: y, _length: height } = full.yaxis ?? {};
  for (const [name, value] of Object.entries({ x, y, width, height })) cells?.setAttribute(name, String(value));
}

/**
 * Draw a plot with this data and layout, in place of what it shows. Nothing may listen to its events meanwhile.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data
 * @param {PlotLayout} layout
 * @param {Plotly} plotly
 */
export async function draw(plot, data, layout, plotly) {
  const frameNow = frame(data, layout), hasFrame = plot._fullLayout && drawnFrames.get(plot) === frameNow;
  const ends = AXES.map(name => layout[name]?.range);  // before Plotly writes into the layout what the user has zoomed
  drawnFrames.delete(plot);
  if (hasFrame && needsNumbersOnly(plot, data, layout)) await drawNumbers(plot, data, layout, plotly);
  else await plotly.react(plot, data, layout, CONFIG);
  drawnFrames.set(plot, frameNow);
  // A double click resets a zoom. Plotly would go back to the ends of the first figure, and cut off what it did not have.
  ends.forEach((range, i) => {
    if (range) Object.assign(plot._fullLayout[AXES[i]], { _rangeInitial0: range[0], _rangeInitial1: range[1] });
  });
}
