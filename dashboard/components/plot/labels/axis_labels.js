// The names of rows and columns and the titles of their axes, in HTML: Plotly measures each label before it places a
// title, which takes a third of a repaint. Axes of numbers keep Plotly's own labels.
// @ts-check

import { appendElement, setText } from "../../shared/dom.js";
import { TEXT_SIZE } from "./tick_labels.js";

/** @typedef {import("../panel/panel.js").Area} Area */

const COLUMN_SPACING = 2;  // pixels between the cells and the names of columns, in addition to Plotly's `ticklabelstandoff`
const TITLE_SPACING = 4;   // pixels between the labels and the title
const NAME_SPACING = 6;    // pixels between the names of tiles
const ENTITIES = new Map([["&lt;", "<"], ["&gt;", ">"], ["&amp;", "&"]]);  // as encoder_core escapes them for Plotly

/** @type {(text: string) => string} */
export const plainText = text => text.replace(/&(lt|gt|amp);/g, entity => ENTITIES.get(entity) ?? entity);

const MARK = "❘";          // with which the legend of a line begins

/** @type {(axis: PlotAxis | undefined) => axis is PlotAxis} */
const isNamed = axis => Boolean(axis?.ticktext) || axis?.showticklabels === false;

/**
 * The layout as Plotly draws it: without what `renderAxisLabels` draws.
 * @param {PlotLayout} layout
 * @returns {PlotLayout}
 */
export function withoutAxisLabels(layout) {
  const bare = { ...layout };
  for (const name of /** @type {const} */ (["xaxis", "yaxis"])) {
    const axis = layout[name];
    if (isNamed(axis)) bare[name] = { ...axis, showticklabels: false, title: undefined, minor: undefined };
  }
  return bare;
}

/**
 * The places of values along an axis, as fractions of its length from the left or the top; without those outside it.
 * @template Item
 * @param {Item[]} items
 * @param {number[]} values
 * @param {number} from  the value at the left or the top
 * @param {number} to
 * @returns {{ item: Item, share: number }[]}
 */
export function placesOnAxis(items, values, from, to) {
  return items.map((item, i) => ({ item, share: (values[i] - from) / (to - from) }))
    .filter(({ share }) => share >= 0 && share <= 1);
}

/** @type {CanvasRenderingContext2D | null | undefined} */
let measuringContext;

/**
 * The pixels of the longest text.
 * @type {(texts: string[], size: number, family: string) => number}
 */
export function longestText(texts, size, family) {
  measuringContext ??= document.createElement("canvas").getContext("2d");
  if (!measuringContext) return 0;
  measuringContext.font = `${size}px ${family}`;
  return Math.max(0, ...texts.map(text => /** @type {CanvasRenderingContext2D} */ (measuringContext).measureText(text).width));
}

/**
 * The children of `parent` with this class, as many as `count`. They stay from one repaint to the next: new ones take
 * longer.
 * @param {HTMLElement} parent
 * @param {string} className
 * @param {number} count
 * @returns {HTMLElement[]}
 */
function ensureChildren(parent, className, count) {
  const children = /** @type {HTMLElement[]} */ ([...parent.getElementsByClassName(className)]);
  for (const child of children.splice(count)) child.remove();
  while (children.length < count) children.push(appendElement(parent, "span", className));
  return children;
}

/**
 * Where the title of columns begins, in pixels. One that explains a line at the value `at` has its mark below the line, one
 * of numbers that end at the value `endsAt` ends there. Null where there is neither, or no room: it is then in the middle.
 * @type {(title: Record<string, any>, size: number, range: number[], area: Area, family: string) => number | null}
 */
function titleStart({ text, at, endsAt }, size, [from, to], area, family) {
  const value = at ?? endsAt, length = longestText([plainText(text)], size, family);
  if (value === undefined) return null;
  const place = (value - from) / (to - from) * area.width;
  const left = place - (at === undefined ? length : longestText([MARK], size, family) / 2);
  return left >= 0 && left + length <= area.width ? left : null;
}

/**
 * The title without the additions after its first comma, where it is longer than its axis.
 * @type {(text: string, pixels: number, size: number, family: string) => string}
 */
function titleThatFits(text, pixels, size, family) {
  const comma = text.indexOf(", ");
  return comma > 0 && longestText([text], size, family) > pixels ? text.slice(0, comma) : text;
}

/**
 * The labels and the title of one axis. Columns have theirs below the cells or, those of tiles, above them.
 * @param {HTMLElement} group  the element of the axis
 * @param {PlotAxis | undefined} axis
 * @param {number[]} range  from the left to the right, or from the top to the bottom
 * @param {Area} area
 * @param {number} room  pixels of the margin in which they stand
 * @param {string} family
 */
function renderAxis(group, axis, range, area, room, family) {
  const isRow = group.classList.contains("ew-rows"), isShown = isNamed(axis);
  group.hidden = !isShown;
  if (!isShown) return;
  const { side, ticktext = [], tickvals = [], tickangle, minor, title } = axis;
  const standoff = (axis.ticklabelstandoff ?? 0) + (isRow ? 0 : COLUMN_SPACING);
  const size = axis.tickfont?.size ?? TEXT_SIZE;
  const names = axis.showticklabels === false ? [] : ticktext.map(plainText);
  const edge = isRow ? `left:0;width:${area.left - standoff}px;top:${area.top}px;height:${area.height}px`
    : `left:${area.left}px;width:${area.width}px;top:${side === "top" ? area.top - standoff
      : area.top + area.height + standoff}px`;
  group.style.cssText = `${edge};font-size:${size}px;color:${axis.tickfont?.color ?? ""}`;
  group.classList.toggle("ew-upright", tickangle === -90);
  group.classList.toggle("ew-above", side === "top");
  const along = isRow ? "top" : "left";
  const placed = placesOnAxis(names, tickvals, range[0], range[1]);
  // The first name of tiles ("head 1", "2", "3") ends where its tile does: over narrow tiles, it would run into the next.
  const beyond = side === "top" && placed.length > 1 ? Math.max(0, longestText([placed[0].item], size, family)
    + NAME_SPACING - (placed[1].share - placed[0].share) * area.width) : 0;
  ensureChildren(group, "ew-name", placed.length).forEach((label, i) => {
    setText(label, placed[i].item);
    const place = `${100 * placed[i].share}%`;
    label.style[along] = i || !beyond ? place : `calc(${place} - ${beyond / 2}px)`;
  });
  const leaders = minor ? placesOnAxis(minor.tickvals, minor.tickvals, range[0], range[1]) : [];
  ensureChildren(group, "ew-leader", leaders.length).forEach((leader, i) => {
    leader.style.cssText = `left:${100 * leaders[i].share}%;top:${-standoff}px;height:${minor.ticklen}px;`
      + `background:${minor.tickcolor}`;
  });
  const titleSize = title?.font?.size ?? TEXT_SIZE;
  for (const element of ensureChildren(group, "ew-axis-title", title?.text ? 1 : 0)) {
    const text = titleThatFits(plainText(title.text), isRow ? area.height : area.width, titleSize, family);
    setText(element, text);
    const length = isRow || tickangle === -90 ? longestText(names, size, family) : names.length ? size : 0;
    const distance = Math.min(length + TITLE_SPACING, room - standoff - titleSize - 1);
    const left = isRow ? null : titleStart(title, titleSize, range, area, family);
    element.style.cssText = `${isRow ? "right" : "top"}:${distance}px;font-size:${titleSize}px;color:${title.font?.color ?? ""};`
      + (left === null ? "" : `left:${left}px;transform:none`);
  }
}

/**
 * Render the labels of a plot's axes for the ranges to which it is zoomed.
 * @param {PlotElement} plot
 * @param {PlotLayout} layout  with the labels
 * @param {Area} area
 */
export function renderAxisLabels(plot, layout, area) {
  /** @type {HTMLElement | null} */
  const existing = plot.querySelector(":scope > .ew-axes");
  const layer = existing ?? appendElement(plot, "div", "ew-axes");
  if (!existing) for (const axis of ["ew-rows", "ew-columns"]) appendElement(layer, "div", axis);
  const [rows, columns] = /** @type {HTMLElement[]} */ ([...layer.children]);
  const family = layout.font?.family ?? "sans-serif";
  const { xaxis, yaxis } = plot._fullLayout;  // `plot.layout` keeps the old ranges while shift and a drag move the cells
  layer.style.fontFamily = family;
  const [bottom, top] = yaxis?.range ?? [0, 1];
  renderAxis(rows, layout.yaxis, [top, bottom], area, area.left, family);
  renderAxis(columns, layout.xaxis, xaxis?.range ?? [0, 1], area, layout.height - area.top - area.height, family);
}
