// The map: the encoder as groups of cards, each a link to its stage. A thumbnail is a canvas with one pixel per cell.
// @ts-check

import { decodeBase64 } from "../shared/arrays.js";
import { colourAt, parseColour } from "../shared/colours.js";
import { appendElement, hostElement, showLatest } from "../shared/dom.js";

const NARROW = 760;      // pixels; in a narrower map the cards are below each other
const MIN_COLUMNS = 4;   // a group of fewer cards is not stretched to the full width
const LEVELS = 255;      // levels of a colour scale, from 0; the byte after the last one is a masked cell
const MASKED = 255;

/**
 * @typedef {import("../shared/colours.js").Rgb} Rgb
 * @typedef {import("../shared/colours.js").ColourStop} ColourStop
 *
 * The cells of a thumbnail, row by row: one byte each in base64, a level or MASKED.
 * @typedef {{ rows: number, columns: number, levels: string }} Thumbnail
 *
 * @typedef {object} Card
 * @property {string} stage  path of its page
 * @property {number} number  of the stage
 * @property {string} title
 * @property {string} shape
 * @property {string | null} colour  of the title
 * @property {"signed" | "weights"} kind  of the colour scale
 * @property {string[]} words  in the place of a thumbnail
 * @property {Thumbnail} [thumbnail]
 * @property {number | null} [markedRow]  the row of the thumbnail that is outlined
 *
 * A bridge is a residual connection between two cards, by their indices; an edit can remove it.
 * @typedef {{ from: number, to: number, label: string, removed: boolean }} Bridge
 *
 * `pairs`: a narrow screen has two cards in a row.
 * @typedef {{ label: string, cards: Card[], bridges: Bridge[], pairs?: boolean }} Group
 *
 * @typedef {object} DiagramData
 * @property {Group[]} groups
 * @property {{ signed: ColourStop[], weights: ColourStop[] }} scales
 * @property {string} masked  colour of masked cells
 * @property {string | null} [query]  the query string of the links; null takes that of the page
 *
 * @typedef {import("../shared/dom.js").Component<DiagramData>} DiagramComponent
 */

/**
 * The colour of each level, interpolated between the stops.
 * @param {ColourStop[]} stops
 * @returns {Rgb[]}
 */
export function colourLevels(stops) {
  return Array.from({ length: LEVELS }, (_, level) => {
    const [red, green, blue] = colourAt(stops, level / (LEVELS - 1)).map(Math.round);
    return [red, green, blue];
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Thumbnail} thumbnail
 * @param {Rgb[]} colours  by level
 * @param {Rgb} maskedColour
 */
export function drawThumbnail(canvas, { rows, columns, levels }, colours, maskedColour) {
  canvas.width = columns;
  canvas.height = rows;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(columns, rows);
  decodeBase64(levels).forEach((level, i) => {
    image.data.set([...(level === MASKED ? maskedColour : colours[level]), 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

// A plain click opens the stage without a reload of the app; with a modifier key the browser opens a tab.
/** @type {(event: MouseEvent, component: DiagramComponent, stage: string) => void} */
function openStage(event, component, stage) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  component.setTriggerValue("open", stage);
}

// With the query string of the page: address.js updates links, but it may have run before the cards existed.
/** @type {(stage: string, query: string | null | undefined) => string} */
function stageUrl(stage, query) {
  const url = new URL(stage, document.baseURI);
  url.search = query ?? window.location.search;
  return url.href;
}

/** @type {(link: Element, card: Card, thumbnail: Thumbnail, palettes: Palettes) => void} */
function appendThumbnail(link, { title, shape, kind, markedRow }, thumbnail, palettes) {
  const frame = appendElement(link, "div", "ew-thumbnail");
  const canvas = appendElement(frame, "canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${title}, ${shape}: a small heatmap of its values`);
  drawThumbnail(canvas, thumbnail, palettes[kind], palettes.masked);
  if (typeof markedRow !== "number") return;
  const mark = appendElement(frame, "i");
  mark.style.top = `${100 * markedRow / thumbnail.rows}%`;
  mark.style.height = `${100 / thumbnail.rows}%`;
}

/** @type {(parent: Element, card: Card, component: DiagramComponent, palettes: Palettes) => HTMLAnchorElement} */
function appendCard(parent, card, component, palettes) {
  const link = appendElement(parent, "a", "ew-card");
  link.href = stageUrl(card.stage, component.data.query);
  if (component.data.query != null) link.dataset.ownQuery = "";  // address.js leaves it alone
  link.onclick = event => openStage(event, component, card.stage);
  link.title = `Open stage ${card.number}`;
  if (card.thumbnail) {
    appendThumbnail(link, card, card.thumbnail, palettes);
  } else if (card.words.length) {
    const words = appendElement(link, "div", "ew-words");
    for (const word of card.words) appendElement(words, "span", "", word);
  } else {
    appendElement(link, "div", "ew-empty", "none");
  }
  appendElement(link, "b", "", card.title).style.color = card.colour ?? "";
  appendElement(link, "small", "", card.shape);
  return link;
}

/** @typedef {{ signed: Rgb[], weights: Rgb[], masked: Rgb }} Palettes */

/** @type {(host: Element, group: Group, component: DiagramComponent, palettes: Palettes) => void} */
function appendGroup(host, { label, cards, bridges, pairs }, component, palettes) {
  const group = appendElement(host, "div", label ? "ew-group ew-framed" : "ew-group");
  group.classList.toggle("ew-pairs", pairs === true);
  group.style.gridTemplateColumns = `repeat(${Math.max(cards.length, MIN_COLUMNS)}, minmax(0, 1fr))`;
  if (label) appendElement(group, "div", "ew-label", label);
  cards.forEach((card, i) => {
    const link = appendCard(group, card, component, palettes);
    link.style.gridColumn = String(cards.length === 1 ? MIN_COLUMNS : i + 1);  // alone, it is below the last one before it
    link.classList.toggle("ew-last", i === cards.length - 1);
  });
  for (const { from, to, label: text, removed } of bridges) {
    const bridge = appendElement(group, "div", removed ? "ew-bridge ew-removed" : "ew-bridge");
    bridge.style.gridColumn = `${from + 1} / ${to + 2}`;
    const share = 50 / (to - from + 1);  // it begins and ends in the middle of a card
    bridge.style.margin = `0 ${share}% 4px`;
    appendElement(bridge, "span", "", text);
  }
}

// Where not all words have room on their card, the last place says how many there are besides.
/** @type {(words: Element) => void} */
function fitWords(words) {
  words.querySelector(".ew-more")?.remove();
  const chips = /** @type {HTMLElement[]} */ ([...words.children]);
  for (const chip of chips) chip.hidden = false;
  const bottom = words.getBoundingClientRect().bottom + 1;
  const isCut = (/** @type {Element} */ chip) => chip.getBoundingClientRect().bottom > bottom;
  const fitting = chips.findIndex(isCut);
  if (fitting < 1) return;
  const more = appendElement(words, "span", "ew-more");
  for (const chip of chips.slice(fitting)) chip.hidden = true;
  for (let kept = fitting; kept > 0; kept--) {
    chips[kept].hidden = true;
    more.textContent = `+ ${chips.length - kept} more`;
    if (!isCut(more)) return;
  }
}

/** @type {(host: HTMLElement) => void} */
function adaptToWidth(host) {
  const isNarrow = host.clientWidth < NARROW;
  host.classList.toggle("ew-narrow", isNarrow);
  host.querySelectorAll(".ew-words").forEach(fitWords);
  if (!isNarrow) return;
  for (const card of host.querySelectorAll(".ew-card")) /** @type {HTMLElement} */ (card).style.gridColumn = "";
}

/** @type {(host: HTMLElement, component: DiagramComponent) => () => void} */
function show(host, component) {
  const { groups, scales, masked } = component.data;
  const palettes = {
    signed: colourLevels(scales.signed), weights: colourLevels(scales.weights), masked: parseColour(masked),
  };
  host.replaceChildren();
  for (const group of groups) appendGroup(host, group, component, palettes);
  adaptToWidth(host);
  const observer = new ResizeObserver(() => adaptToWidth(host));
  observer.observe(host);
  return () => observer.disconnect();
}

/**
 * Show the map. Returns the function that unmounts it.
 * @param {DiagramComponent} component
 */
export default function (component) {
  /** @type {HTMLElement} */
  const host = hostElement(component.parentElement, ".ew-diagram");
  return showLatest(host, component, latest => show(host, latest));
}
