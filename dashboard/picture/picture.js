// Figures side by side, joined by operators. Plotly repaints in place; title and colour bar are plain HTML, which is
// faster than Plotly's own and can wrap. All text goes through textContent: nothing a person typed becomes HTML.

import { formatNumber } from "../numbers.js";
import { cellAt, placeIn, showTip, sumOf } from "./hover.js";

const NARROW = 640;          // below this the panels stack
const LABEL_PITCH = 11;      // pixels a label needs; where cells are closer, every second or third label is shown
const NO_GAP = 5;            // cells narrower than this many pixels touch each other
const LABEL_WEIGHT = 6;      // columns' worth of width that row labels take
const SHOWN = "__encoderWalkthroughPlotly";

function loadPlotly(bundle) {
  window[SHOWN] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(`app/static/${bundle}`, document.baseURI).href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { delete window[SHOWN]; reject(new Error("Plotly did not load")); };
    document.head.append(script);
  });
  return window[SHOWN];
}

function element(tag, className, parent) {
  const made = document.createElement(tag);
  made.className = className;
  parent.append(made);
  return made;
}

// The panels keep their DOM as long as there are as many of them, so that Plotly can repaint instead of redraw.
function layOut(host, panels) {
  if (host.panels?.length === panels.length) return host.panels;
  for (const panel of host.panels ?? []) window.Plotly?.purge(panel.plot);
  host.replaceChildren();
  host.panels = panels.map(() => {
    const operator = element("div", "ew-op", host);
    const figure = element("figure", "ew-panel", host);
    const head = element("div", "ew-head", figure);
    const title = element("div", "ew-title", head);
    const player = element("button", "ew-play", head);
    Object.assign(player, { type: "button", textContent: "▶", title: "Draw it cell by cell" });
    player.setAttribute("aria-label", "Draw it cell by cell");
    const bar = element("div", "ew-bar", head);
    const plot = element("div", "ew-plot", figure);
    plot.setAttribute("role", "img");
    return { operator, figure, title, player, bar, plot };
  });
  host.tip = element("div", "ew-tip", host);
  return host.panels;
}

function dress(panel, { operator, figure }, repeats) {
  const { layout, data } = figure;
  const { meta } = layout;
  panel.operator.textContent = operator;
  panel.operator.style.display = operator ? "" : "none";
  panel.figure.style.flexGrow = (meta.weight ?? 20) + (repeats ? 0 : LABEL_WEIGHT);
  panel.title.textContent = layout.title.text;
  panel.title.title = layout.title.text;
  panel.title.style.color = meta.title_colour ?? "";
  panel.plot.setAttribute("aria-label", meta.alt);
  panel.player.hidden = meta.product_of?.length !== 2;
  panel.plot.style.height = `${layout.height - 30}px`;
  const scaled = data.find(trace => trace.type === "heatmap" && trace.showscale !== false);
  panel.bar.replaceChildren();
  if (scaled) {
    const stops = scaled.colorscale.map(([at, colour]) => `${colour} ${at * 100}%`);
    const end = formatNumber(scaled.zmax, 3);
    if (scaled.zmin === 0) panel.bar.append("0");
    element("i", "", panel.bar).style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    panel.bar.append(scaled.zmin === 0 ? end : `±${end}`);
  }
}

// Everything but the plots themselves: the panels beside or below each other, their titles, bars and heights.
function arrange(host) {
  const { panels, stack } = host.shown;
  const narrow = stack || host.clientWidth < NARROW;
  host.narrow = narrow;
  host.classList.toggle("ew-stack", narrow);
  layOut(host, panels).forEach((panel, i) => {
    const before = narrow ? null : panels[i - 1]?.figure.layout.meta;
    dress(panel, panels[i], sharesRows(panels[i].figure.layout.meta, before));
  });
}

// Labels that would collide are left out; a label longer than its margin cannot occur (they are cut in Python).
function thin(axis, pixels) {
  if (!axis?.tickvals || !axis.ticktext) return axis;
  const cells = Math.abs(axis.range[1] - axis.range[0]) / Math.abs((axis.tickvals[1] ?? 1) - (axis.tickvals[0] ?? 0));
  const upright = axis.tickangle === 0 ? Math.max(...axis.ticktext.map(text => text.length)) * 6.2 : LABEL_PITCH;
  const step = Math.max(1, Math.ceil(Math.max(LABEL_PITCH, upright) / (axis.pitch ?? pixels / cells)));
  if (step === 1) return axis;
  const kept = index => index % step === 0;
  return { ...axis, tickvals: axis.tickvals.filter((_, i) => kept(i)), ticktext: axis.ticktext.filter((_, i) => kept(i)) };
}

// Beside a panel with the same rows, their labels would only repeat: the space goes to the cells.
const ROWED = new Set(["heatmap", "row_bars"]);
const sharesRows = (meta, before) =>
  before?.rows && ROWED.has(meta.kind) && ROWED.has(before.kind) && meta.row_axis === before.row_axis &&
  JSON.stringify(meta.rows) === JSON.stringify(before.rows);

function fitted(figure, width, rowsAreLabelled) {
  const layout = { ...figure.layout, width, height: figure.layout.height - 30, title: undefined };
  layout.margin = { ...layout.margin, t: Math.max(4, layout.margin.t - 40) };
  if (rowsAreLabelled) {
    layout.margin.l = 4;
    layout.yaxis = { ...layout.yaxis, showticklabels: false, title: undefined };
  }
  const inner = { x: width - layout.margin.l - layout.margin.r, y: layout.height - layout.margin.t - layout.margin.b };
  const tiles = layout.meta.kind === "mosaic" ? layout.meta : null;
  if (!tiles || tiles.column_titles.join("") === "") layout.xaxis = thin(layout.xaxis, inner.x);
  if (!tiles) layout.yaxis = thin(layout.yaxis, inner.y);
  layout.dragmode = window.matchMedia("(pointer: coarse)").matches ? false : "zoom";
  // The gap between cells must not eat the colour of narrow ones.
  const gap = (wished, pixels, labels) => (pixels / (labels?.length ?? 1) < NO_GAP ? 0 : wished);
  const data = figure.data.map(trace => trace.type !== "heatmap" ? trace : {
    ...trace, showscale: false, hoverinfo: "none", hovertemplate: undefined,
    xgap: gap(trace.xgap, inner.x, layout.meta.columns), ygap: gap(trace.ygap, inner.y, layout.meta.rows),
  });
  return { data, layout };
}

function listen(host, place, panel, meta) {
  const { plot } = place;
  for (const event of ["plotly_hover", "plotly_unhover", "plotly_click"]) plot.removeAllListeners(event);
  plot.on("plotly_hover", event => showTip(host, place, meta, event));
  plot.on("plotly_unhover", () => { host.tip.style.visibility = "hidden"; });
  plot.on("plotly_click", event => {
    const point = event.points[0];
    const cell = meta.rows ? cellAt(meta, point) : { row: 0, column: Math.round(point.x), tile: null };
    host.send({ panel, ...cell });
  });
}

// Brings every panel up to date; one that shows the same figure at the same size already is left alone. All sizes are
// read before anything is drawn: reading one after each drawing would lay out the whole page each time.
async function paint(host) {
  host.waiting = false;
  const { panels } = host.shown;
  const widths = host.panels.map(place => place.plot.clientWidth);
  for (const [i, { json, figure }] of panels.entries()) {
    const place = host.panels[i];
    const { meta } = figure.layout;
    const repeats = !host.narrow && sharesRows(meta, panels[i - 1]?.figure.layout.meta);
    const state = [widths[i], repeats, json].join();
    if (place.state === state) continue;
    place.state = state;
    host.stopPlaying?.();
    const { data, layout } = fitted(figure, widths[i], repeats);
    await window.Plotly.react(place.plot, data, layout, { displayModeBar: false, responsive: false });
    listen(host, place, i, meta);
  }
  host.painted = (host.painted ?? 0) + 1;
  host.dataset.painted = host.painted;
}

// Paints follow one another; what arrives while one is waiting is shown by that one.
function repaint(host) {
  if (host.waiting) return;
  host.waiting = true;
  host.queue = (host.queue ?? Promise.resolve()).then(() => paint(host)).catch(console.error);
}

// On a phone the rail is wider than the screen: bring the stage on screen into sight.
function showInRail() {
  const here = [...document.querySelectorAll(".st-key-rail a")].filter(a => a.pathname === window.location.pathname);
  here.at(-1)?.scrollIntoView({ inline: "center", block: "nearest" });
}

// The player is fetched when it is asked for.
async function startPlayer(host, script, index) {
  const { play } = await import(new URL(`app/static/${script}`, document.baseURI).href);
  const { meta } = host.shown.panels[index].figure.layout;
  play(host, index, (row, column) => `${placeIn(meta, row, column)}: ${sumOf(host, meta.product_of, row, column)}`);
}

export default function (component) {
  const { panels, stack, bundle, player } = component.data;
  const host = component.parentElement.querySelector(".ew-picture");
  const before = host.shown?.panels ?? [];
  const parsed = (json, i) => before[i]?.json === json ? before[i].figure : JSON.parse(json);
  host.shown = { stack, panels: panels.map((panel, i) => ({ ...panel, json: panel.figure, figure: parsed(panel.figure, i) })) };
  host.send = cell => component.setStateValue("cell", cell);
  if (!host.panels) showInRail();
  host.panels = layOut(host, host.shown.panels);
  host.panels.forEach((panel, i) => { panel.player.onclick = () => startPlayer(host, player, i); });
  arrange(host);  // the space is taken before Plotly is there, so nothing below moves when it comes
  loadPlotly(bundle).then(
    () => {
      repaint(host);
      if (host.observer) return;
      let width = host.clientWidth;
      host.observer = new ResizeObserver(() => {
        if (Math.abs(host.clientWidth - width) < 2 || !host.clientWidth) return;
        width = host.clientWidth;
        arrange(host);
        repaint(host);
      });
      host.observer.observe(host);
    },
    () => {
      host.replaceChildren();
      delete host.panels;
      element("p", "ew-failed", host).textContent = "The figures need plotly.js, which did not load. Reload the page.";
    },
  );
  return () => {
    host.stopPlaying?.();
    host.observer?.disconnect();
    for (const panel of host.panels ?? []) window.Plotly?.purge(panel.plot);
  };
}
