// Shows the definition of a marked term while the mouse is over it, while it has the focus, or after a tap.
// @ts-check

const MARGIN = 8; // pixels between the box and the edges of the window
const GAP = 6; // pixels between the term and the box
const DELAY = 120; // milliseconds for which the mouse rests on a term, or may be between the term and the box

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

export default function () {
  if (!listens) {
    document.addEventListener("pointerover", onPointerOver);
    document.addEventListener("focusin", onFocusOrClick);
    document.addEventListener("click", onFocusOrClick);
    document.addEventListener("keydown", onKeyDown, true);
    document.addEventListener("scroll", hide, true);
    listens = true;
  }
  return hide;
}
