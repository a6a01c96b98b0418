// Draws a plot, and draws it again where only numbers have changed: those of its cells and bars, its size, the ends of its
// axes, the places of its outlines. Plotly.react would first fill in and compare all other attributes, which takes half of
// its time. The numbers go into what Plotly has filled in before, `_fullData` and `_fullLayout`, and Plotly.redraw draws
// that. tests/browser/test_redraw.py compares the result with what Plotly.react draws.
// @ts-check

const CONFIG = { displayModeBar: false, responsive: false };

// The numbers of a trace, of the layout, of an axis and of an outline.
const NUMBERS = ["x", "y", "z", "zmin", "zmax", "text", "hovertext", "customdata"];
const SIZES = ["width", "height"];
const ENDS = ["range", "tickvals", "ticktext"];
const PLACES = ["x0", "x1", "y0", "y1", "path"];
const AXES = ["xaxis", "yaxis"];

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
  return JSON.stringify([traces, axes, shapes, withoutValues(layout, [...SIZES, ...AXES, "margin", "shapes", "uirevision"])]);
}

/**
 * Whether the numbers are all that Plotly has to know. It reads more from the data if an axis has categories, or if a
 * scatter has no mode, which then depends on its length. What the user has zoomed, Plotly.react keeps.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data
 */
const needsNumbersOnly = ({ _fullLayout: full }, data) => full._preGUI && Object.keys(full._preGUI).length === 0
  && AXES.every(name => full[name].type === "linear")
  && data.every(({ type, mode }) => type === "heatmap" || type === "bar" || (type === "scatter" && mode));

/** @type {(plot: PlotElement, data: PlotTrace[], layout: PlotLayout) => void} */
function replaceNumbers(plot, data, layout) {
  const { _fullData: fullData, _fullLayout: full } = plot, { uirevision } = layout;
  plot.data = data;
  plot.layout = layout;
  data.forEach((trace, i) => {
    copy(fullData[i], trace, NUMBERS);
    fullData[i]._input = trace;
    if (trace.type !== "heatmap") fullData[i]._length = Math.min(...[trace.x, trace.y].flatMap(values => values?.length ?? []));
  });
  copy(full, layout, [...SIZES, "uirevision"]);
  Object.assign(full.margin, layout.margin);
  for (const name of AXES.filter(name => layout[name])) {
    copy(full[name], layout[name], ENDS);
    Object.assign(full[name], { uirevision, _input: layout[name] });
  }
  layout.shapes?.forEach((/** @type {Attributes} */ shape, /** @type {number} */ i) => {
    copy(full.shapes[i], shape, PLACES);
    full.shapes[i]._input = shape;
  });
}

/**
 * Draw a plot with this data and layout, in place of what it shows.
 * @param {PlotElement} plot
 * @param {PlotTrace[]} data
 * @param {PlotLayout} layout
 * @param {Plotly} plotly
 */
export async function draw(plot, data, layout, plotly) {
  const frameNow = frame(data, layout), full = plot._fullLayout;  // none before Plotly has drawn the plot
  if (full && drawnFrames.get(plot) === frameNow && needsNumbersOnly(plot, data)) {
    replaceNumbers(plot, data, layout);
    full._skipDefaults = true;
    await plotly.redraw(plot);
  } else {
    drawnFrames.delete(plot);
    await plotly.react(plot, data, layout, CONFIG);
    drawnFrames.set(plot, frameNow);
  }
}
