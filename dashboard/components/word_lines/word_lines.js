// Attention as lines between words: a row of queries, a row of keys, and the lines of the selected query. Where the words
// do not fit into one row, each stands once in a paragraph, as a key and as a query.
// @ts-check

import { appendElement, createSvg, hostElement, showLatest } from "../shared/dom.js";
import { scrollRailToStage } from "../shared/scrolled_lines.js";
import { drawLines, highlightLines } from "./draw.js";

/**
 * @typedef {"query" | "key"} Side
 * @typedef {{ label: string, word: string }} Word
 * @typedef {{ name: string, colour: string, dash: "solid" | "dashed" | "dotted" }} Head
 * @typedef {[number, number, number]} Line  head, key, weight
 *
 * @typedef {object} LinesData
 * @property {string} title
 * @property {[string, string]} sides  labels of the queries and of the keys
 * @property {string} hint  in the place of the lines
 * @property {Word[]} words
 * @property {number} query  the selected word
 * @property {number | null} key  the selected key
 * @property {Head[]} heads
 * @property {Line[]} lines  of the selected word, the smallest weight first
 * @property {number} selected  the head whose weights are written at the keys
 * @property {boolean} legend
 * @property {string} alt
 *
 * @typedef {import("../shared/dom.js").Component<LinesData>} LinesComponent
 *
 * The elements of a mounted component. A drawing has one path for each line.
 * @typedef {object} Drawing
 * @property {HTMLElement} host
 * @property {HTMLElement} grid
 * @property {SVGSVGElement} svg
 * @property {HTMLButtonElement[]} queries
 * @property {HTMLButtonElement[]} keys
 * @property {HTMLButtonElement[]} heads  of the legend
 * @property {HTMLElement} tooltip
 * @property {LinesData} data
 */

/**
 * The weights on a key as text, one head a line, the largest first.
 * @param {LinesData} data
 * @param {number} key
 * @returns {string}
 */
export function describeKey({ words, query, heads, lines }, key) {
  const onKey = lines.filter(line => line[1] === key).sort((one, other) => other[2] - one[2]);
  const weights = onKey.map(([head, , weight]) => `${heads[head].name}: ${weight.toFixed(2)}`);
  return [`${words[query].word} → ${words[key].word}`, ...(weights.length ? weights : ["not drawn"])].join("\n");
}

/**
 * The weight that is written at each key: that of one head, or "" where it is not drawn.
 * @param {LinesData} data
 * @param {number} head
 * @returns {string[]}
 */
export function weightTexts({ words, lines }, head) {
  const texts = words.map(() => "");
  for (const [lineHead, key, weight] of lines) if (lineHead === head) texts[key] = weight.toFixed(2);
  return texts;
}

// The arrow keys move within a row of buttons, of which the Tab key reaches one.
/** @type {(buttons: HTMLButtonElement[], current: number) => void} */
function moveByArrows(buttons, current) {
  buttons.forEach((button, i) => {
    button.tabIndex = i === current ? 0 : -1;
    button.onkeydown = event => {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -i, End: buttons.length - 1 - i };
      const step = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (step === undefined) return;
      event.preventDefault();
      const next = buttons[Math.min(Math.max(i + step, 0), buttons.length - 1)];
      button.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    };
  });
}

/** @type {(drawing: Drawing, key: number) => void} */
function showTooltip({ data, host, keys, tooltip }, key) {
  if (!data.heads.length) return;
  tooltip.textContent = describeKey(data, key);
  const place = keys[key].getBoundingClientRect(), box = host.getBoundingClientRect();
  const left = place.left - box.left + place.width / 2 - tooltip.offsetWidth / 2;
  tooltip.style.left = `${Math.max(0, Math.min(left, box.width - tooltip.offsetWidth))}px`;
  tooltip.style.top = `${place.bottom - box.top + 6}px`;
  tooltip.style.visibility = "visible";
}

/** @type {(drawing: Drawing, head: number | null) => void} */
function highlightHead(drawing, head) {
  highlightLines(drawing, line => head === null || line[0] === head);
  const texts = weightTexts(drawing.data, head ?? drawing.data.selected);
  drawing.keys.forEach((key, i) => { /** @type {Element} */ (key.lastElementChild).textContent = texts[i]; });
}

/** @type {(element: HTMLElement, enter: () => void, leave: () => void) => void} */
function onPointing(element, enter, leave) {
  element.onpointerenter = element.onfocus = enter;
  element.onpointerleave = element.onblur = leave;
}

/** @type {(host: HTMLElement, component: LinesComponent) => HTMLButtonElement[]} */
function appendLegend(host, { data, setTriggerValue }) {
  const legend = appendElement(host, "div", "ew-legend");
  legend.setAttribute("role", "group");
  legend.setAttribute("aria-label", "Heads");
  return data.heads.map(({ name, colour, dash }, i) => {
    const button = appendElement(legend, "button", "ew-head-button");
    button.type = "button";
    appendElement(button, "i", `ew-${dash}`).style.borderTopColor = colour;
    appendElement(button, "span", "", name);
    button.setAttribute("aria-pressed", String(i === data.selected));
    button.onclick = () => setTriggerValue("head", i);
    return button;
  });
}

/** @type {(element: Element) => boolean} */
const isParagraph = element => element.closest(".ew-word_lines.ew-paragraph") !== null;

/** @type {(grid: HTMLElement, side: Side, component: LinesComponent) => HTMLButtonElement[]} */
function appendWords(grid, side, { data, setTriggerValue }) {
  appendElement(grid, "span", `ew-side ew-${side}`, data.sides[side === "query" ? 0 : 1]);
  return data.words.map(({ label, word }, i) => {
    const button = appendElement(grid, "button", `ew-word ew-${side}`);
    button.type = "button";
    if (label !== word) button.title = word;
    appendElement(button, "bdi", "", label);
    if (side === "key") appendElement(button, "small");
    button.style.setProperty("--ew-place", String(i + 2));
    button.onclick = () => setTriggerValue("word", [isParagraph(grid) ? "query" : side, i]);
    return button;
  });
}

/** @type {(host: HTMLElement, component: LinesComponent) => Drawing} */
function appendAll(host, component) {
  const { data } = component;
  const { title, legend, alt, query, selected, words } = data;
  host.style.setProperty("--ew-count", String(words.length));
  host.setAttribute("role", "figure");
  host.setAttribute("aria-label", alt);
  if (title) appendElement(host, "div", "ew-title", title);
  const heads = legend ? appendLegend(host, component) : [];
  const grid = appendElement(host, "div", "ew-grid");
  const queries = appendWords(grid, "query", component);
  const svg = createSvg("svg");
  svg.setAttribute("aria-hidden", "true");
  grid.append(svg);
  appendElement(grid, "span", "ew-hint", data.hint);
  const keys = appendWords(grid, "key", component);
  const tooltip = appendElement(host, "div", "ew-tip");
  const drawing = { host, grid, svg, queries, keys, heads, tooltip, data };
  moveByArrows(queries, query);
  moveByArrows(keys, query);
  moveByArrows(heads, selected);
  heads.forEach((head, i) => onPointing(head, () => highlightHead(drawing, i), () => highlightHead(drawing, null)));
  keys.forEach((key, i) => onPointing(
    key,
    () => { highlightLines(drawing, line => line[1] === i); showTooltip(drawing, i); },
    () => { highlightLines(drawing, () => true); tooltip.style.visibility = "hidden"; },
  ));
  return drawing;
}

/** @type {(words: HTMLButtonElement[], name: string, selected: HTMLButtonElement | null) => void} */
function markSelected(words, name, selected) {
  for (const word of words) {
    word.classList.toggle(name, word === selected);
    word.setAttribute("aria-pressed", String(/ew-selected/.test(word.className)));
  }
}

// Two rows where all words fit side by side, else a paragraph; then the lines at the places that the words have.
/** @type {(drawing: Drawing) => void} */
function arrange(drawing) {
  const { host, grid, queries, keys, data: { query, key } } = drawing;
  host.classList.remove("ew-paragraph");
  host.classList.toggle("ew-paragraph", grid.scrollWidth > grid.clientWidth + 1);
  const source = isParagraph(host) ? keys[query] : queries[query];
  markSelected([...queries, ...keys], "ew-selected-query", source);
  if (key !== null) markSelected(keys, "ew-selected-key", isParagraph(host) ? null : keys[key]);
  drawLines(drawing, source);
}

// The place of the focused button among all buttons, which is the same after a click on a word.
/** @type {(host: HTMLElement) => number} */
const focusedIndex = host => [...host.querySelectorAll("button")].findIndex(button => button === document.activeElement);

/** @type {(host: HTMLElement) => string} */
const sizeOf = ({ clientWidth, clientHeight }) => `${clientWidth} ${clientHeight}`;

/** @type {(host: HTMLElement, component: LinesComponent) => () => void} */
function show(host, component) {
  const focused = focusedIndex(host);
  host.replaceChildren();
  const { lines, selected } = component.data;
  lines.sort((one, other) => Number(one[0] === selected) - Number(other[0] === selected));  // the head's lines on top
  const drawing = appendAll(host, component);
  highlightHead(drawing, null);
  arrange(drawing);
  host.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  let arranged = sizeOf(host);
  const observer = new ResizeObserver(() => {  // called at once, too: to arrange all again would be a layout shift to Chromium
    if (sizeOf(host) === arranged) return;
    arrange(drawing);
    arranged = sizeOf(host);
  });
  observer.observe(host);
  return () => observer.disconnect();
}

/**
 * Show the words and their lines. Returns the function that unmounts them.
 * @param {LinesComponent} component
 */
export default function (component) {
  /** @type {HTMLElement} */
  const host = hostElement(component.parentElement, ".ew-word_lines");
  if (!host.hasChildNodes()) scrollRailToStage();  // a page can have lines and no plot
  return showLatest(host, component, latest => show(host, latest));
}
