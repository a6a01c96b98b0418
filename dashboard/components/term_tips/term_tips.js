// Shows the definition of a term while the mouse is over it, while it has the focus, or after a tap.
// @ts-check

/**
 * What dashboard/components/term_tips/__init__.py sends: the definition of each term by the target of its links.
 * @typedef {Record<string, string>} Definitions
 */

const MARGIN = 8; // pixels between the box and the edges of the window
const GAP = 6; // pixels between the term and the box
const DELAY = 120; // milliseconds for which the mouse rests on a term, or may be between the term and the box

const LINKS = "a[href^='#term-'], a.ew-defined[href]";

/** @type {Definitions} */
let definitions = {};
/** @type {HTMLElement | null} */
let tip = null;
/** @type {HTMLElement | null} */
let explained = null;
let timer = 0;

/**
 * Where the box stands: below the term, or above it if there is no room, and within the window.
 * @param {{ left: number, top: number, bottom: number }} term
 * @param {{ width: number, height: number }} box
 * @param {{ width: number, height: number }} view
 * @returns {{ left: number, top: number }}
 */
export function placeTip(term, box, view) {
  const left = Math.max(MARGIN, Math.min(term.left, view.width - box.width - MARGIN));
  const below = term.bottom + GAP, above = term.top - GAP - box.height;
  return { left, top: below + box.height > view.height && above >= 0 ? above : below };
}

/**
 * Make each link to a term a button that is described by the definition. Without `href`, it leads nowhere.
 *
 * Where the text changes, React keeps the element and sets `href` again, which may be the target of another term, or of
 * a link that is none.
 */
function updateTerms() {
  for (const link of document.querySelectorAll(LINKS)) {
    const definition = definitions[link.getAttribute("href") ?? ""];
    link.classList.toggle("ew-defined", Boolean(definition));
    if (definition) {
      link.setAttribute("role", "button");
      link.setAttribute("tabindex", "0");
      link.setAttribute("aria-description", definition);
      link.removeAttribute("href");
    } else {
      for (const name of ["role", "tabindex", "aria-description"]) link.removeAttribute(name);
    }
  }
}

/** @type {(target: EventTarget | null) => HTMLElement | null} */
const termOf = target => (target instanceof Element ? target.closest(".ew-defined") : null);

/** @type {(target: EventTarget | null) => boolean} */
const isInTip = target => target instanceof Node && tip !== null && tip.contains(target);

/** @param {HTMLElement} term */
function show(term) {
  clearTimeout(timer);
  tip ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "ew-definition" }));
  const style = getComputedStyle(term);
  const { color, fontFamily } = getComputedStyle(term.closest("p") ?? term);
  tip.setAttribute("role", "tooltip");
  Object.assign(tip.style, { color, background: "var(--ew-background)", direction: style.direction });
  tip.style.setProperty("--ew-definition-font", fontFamily);
  tip.textContent = term.getAttribute("aria-description");
  tip.hidden = false;
  const rect = term.getClientRects()[0] ?? term.getBoundingClientRect(); // the first line of a term on two lines
  const { left, top } = placeTip(rect, tip.getBoundingClientRect(), { width: window.innerWidth, height: window.innerHeight });
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
  explained = term;
}

function hide() {
  clearTimeout(timer);
  if (tip) tip.hidden = true;
  explained = null;
}

/** @type {(action: () => void) => void} */
function later(action) {
  clearTimeout(timer);
  timer = window.setTimeout(action, DELAY);
}

/** @param {PointerEvent} event */
function onPointerOver(event) {
  if (event.pointerType === "touch") return;
  const term = termOf(event.target);
  if (term && term !== explained) later(() => show(term));
  else if (term || isInTip(event.target)) clearTimeout(timer);
  else if (explained && explained !== document.activeElement) later(hide);
  else if (!explained) clearTimeout(timer);
}

/** @param {KeyboardEvent} event */
function onKeyDown(event) {
  const term = termOf(event.target);
  if (event.key === "Escape" && explained) {
    hide();
    event.stopPropagation();
  } else if (term && (event.key === "Enter" || event.key === " ")) {
    show(term);
    event.preventDefault();
  }
}

/** @param {Event} event */
function onFocusOrClick(event) {
  const term = termOf(event.target);
  if (term) show(term);
  else if (!isInTip(event.target)) hide();
}

let listens = false;

/**
 * Explain the terms of the page, also those that appear later. Returns the function that unmounts the component.
 * @param {import("../shared/dom.js").Component<Definitions>} component
 */
export default function ({ data }) {
  definitions = data;
  updateTerms();
  if (!listens) {
    new MutationObserver(updateTerms).observe(document.body, { childList: true, subtree: true, attributeFilter: ["href"] });
    document.addEventListener("pointerover", onPointerOver);
    document.addEventListener("focusin", onFocusOrClick);
    document.addEventListener("click", onFocusOrClick);
    document.addEventListener("keydown", onKeyDown, true);
    document.addEventListener("scroll", hide, true);
    listens = true;
  }
  return hide;
}
