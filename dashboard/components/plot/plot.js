// Figures side by side, joined by operators. Plotly repaints in place; title and colour bar are plain HTML, which is
// faster than Plotly's own and can wrap. All text goes through textContent: nothing a person typed becomes HTML.

import { formatNumber } from "../numbers.js";
import { parsePanel } from "./arrays.js";
import { cellAt, describe, showTip } from "./hover.js";
import { fitted, sharesRows } from "./layout.js";

const NARROW = 640;          // below this the panels stack
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
  host.playing?.stop();
  for (const panel of host.panels ?? []) window.Plotly?.purge(panel.plot);
  host.replaceChildren();
  host.panels = panels.map(() => {
    const operator = element("div", "ew-op", host);
    const figure = element("figure", "ew-panel", host);
    const head = element("div", "ew-head", figure);
    const title = element("div", "ew-title", head);
    const bar = element("div", "ew-bar", head);
    const plot = element("div", "ew-plot", figure);
    plot.setAttribute("role", "img");
    return { operator, figure, title, bar, plot };
  });
  host.player = layOutPlayer(element("div", "ew-player", host));
  host.tip = element("div", "ew-tip", host);
  return host.panels;
}

// The player has a line of its own, whether it plays or not: nothing moves when it begins.
function layOutPlayer(line) {
  const hold = element("button", "ew-play", line), skip = element("button", "ew-play", line);
  const caption = element("div", "ew-caption", line);
  hold.type = skip.type = "button";
  skip.textContent = "▶▏";
  skip.title = "Skip to the end";
  skip.setAttribute("aria-label", skip.title);
  skip.disabled = true;
  caption.setAttribute("role", "status");
  return { line, hold, skip, caption };
}

// The first product of the line can be played. Where panels are stacked, the player stands below it.
function dressPlayer({ player, panels, playing }, shown) {
  const index = shown.findIndex(({ panel }) => panel.product);
  player.line.style.display = index < 0 ? "none" : "";
  if (index < 0 || playing) return;
  panels.forEach((place, i) => { place.operator.style.order = place.figure.style.order = 2 * i; });
  player.line.style.order = 2 * (player.line.parentElement.classList.contains("ew-stack") ? index : panels.length) + 1;
  const label = `Draw ${shown[index].panel.title} cell by cell`;
  Object.assign(player.hold, { textContent: "▶", title: label });
  player.hold.setAttribute("aria-label", label);
  player.caption.textContent = label;
}

function dress(panel, { operator, panel: shown }, repeats) {
  const { layout, data } = shown;
  panel.operator.textContent = operator;
  panel.operator.style.display = operator ? "" : "none";
  panel.figure.style.flexGrow = shown.weight + (repeats ? 0 : LABEL_WEIGHT);
  panel.title.textContent = shown.title;
  panel.title.title = shown.title;
  panel.title.classList.remove("ew-long");
  panel.title.style.color = shown.titleColour ?? "";
  panel.plot.setAttribute("aria-label", shown.alt);
  panel.plot.style.height = `${layout.height - 30}px`;
  const scaled = data.find(trace => trace.type === "heatmap" && trace.showscale !== false);
  panel.bar.replaceChildren();
  const [row, column] = shown.marked.find(([r, c]) => r !== null && c !== null) ?? [];
  const value = shown.tiles ? undefined : shown.values?.[row]?.[column];
  if (Number.isFinite(value)) element("span", "ew-marked", panel.bar).textContent = formatNumber(value);
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
    dress(panel, panels[i], sharesRows(panels[i].panel, narrow ? null : panels[i - 1]?.panel));
  });
  dressPlayer(host, panels);
}

function listen(host, { plot }, index, panel) {
  for (const event of ["plotly_hover", "plotly_unhover", "plotly_click"]) plot.removeAllListeners(event);
  plot.on("plotly_hover", event => showTip(host, panel, event));
  plot.on("plotly_unhover", () => { host.tip.style.visibility = "hidden"; });
  plot.on("plotly_click", event => {
    host.send({ panel: index, ...cellAt(panel, event.points[0]) });
  });
}

// Brings every panel up to date; one that shows the same figure at the same size already is left alone. All sizes are
// read before anything is drawn: reading one after each drawing would lay out the whole page each time.
async function paint(host) {
  host.waiting = false;
  const { panels } = host.shown;
  const widths = host.panels.map(place => place.plot.clientWidth);
  const isCut = ({ scrollHeight, scrollWidth, clientHeight, clientWidth }) =>
    scrollHeight > clientHeight + 1 || scrollWidth > clientWidth;
  const long = host.panels.filter(({ title }) => isCut(title));
  for (const { title } of long) title.classList.add("ew-long");
  for (const [i, { json, panel }] of panels.entries()) {
    const place = host.panels[i];
    const repeats = !host.narrow && sharesRows(panel, panels[i - 1]?.panel);
    const state = [widths[i], repeats, json].join();
    if (place.state === state) continue;
    place.state = state;
    host.playing?.stop();
    const { data, layout, area } = fitted(panel, widths[i], repeats);
    place.area = area;
    await window.Plotly.react(place.plot, data, layout, { displayModeBar: false, responsive: false });
    listen(host, place, i, panel);
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

// On a phone the rail is wider than the screen: bring the stage on screen into sight. Only the rail may scroll, not the
// page, because a picture also appears below the place that one is looking at: the effect of the first edit.
function showInRail() {
  const here = [...document.querySelectorAll(".st-key-rail a")].filter(a => a.pathname === window.location.pathname);
  const link = here.at(-1), rail = link?.closest(".st-key-rail");
  if (!rail) return;
  const [at, around] = [link.getBoundingClientRect(), rail.getBoundingClientRect()];
  rail.scrollLeft += (at.left + at.right - around.left - around.right) / 2;
}

// The player is fetched when it is asked for.
async function startPlayer(host, script) {
  const { play } = await import(new URL(`app/static/${script}`, document.baseURI).href);
  const panels = host.shown.panels.map(({ panel }) => panel), index = panels.findIndex(panel => panel.product);
  if (!host.panels.every(place => place.area)) return;  // nothing is painted yet
  play(host, index, (row, column) => {
    const [place, value, sum] = describe(panels, panels[index], row, column);
    return `${place}: ${sum ?? value}`;
  });
}

export default function (component) {
  const { panels, stack, bundle, player } = component.data;
  const host = component.parentElement.querySelector(".ew-plot");
  const before = host.shown?.panels ?? [];
  const parsed = (json, i) => before[i]?.json === json ? before[i].panel : parsePanel(json);
  host.shown = {
    stack, panels: panels.map(({ operator, panel: json }, i) => ({ operator, json, panel: parsed(json, i) })),
  };
  host.send = cell => component.setStateValue("cell", cell);
  if (!host.panels) showInRail();
  host.panels = layOut(host, host.shown.panels);
  host.player.hold.onclick = () => startPlayer(host, player);
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
    host.playing?.stop();
    host.observer?.disconnect();
    for (const panel of host.panels ?? []) window.Plotly?.purge(panel.plot);
  };
}
