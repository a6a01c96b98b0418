// The pictures of a page, in the order in which the keys of the presentation mode show them. A line that shows one of
// its figures at a time has a stop for each of them, any other picture has one stop. Where a question hides the pictures
// that follow it ("Predict first"), the key that would show them shows its answer, and them with it.
// @ts-check

/**
 * 1: towards the end of the page, -1: towards its start.
 * @typedef {1 | -1} Direction
 */

const PICTURES = ".ew-plot, .ew-diagram, .ew-word_lines";
const SHOW_ANSWER = ".st-key-figure_is_hidden .st-key-show_answer button";
const BAR_BOTTOM = 56;  // pixels: where the bar of presenter.css ends, which covers the right of what is above

/** @type {HTMLElement | null} */
let latest = null;  // the picture that the keys showed last

/** @type {(page: Document) => HTMLElement[]} */
function displayedPictures(page) {
  /** @type {NodeListOf<HTMLElement>} */
  const pictures = page.querySelectorAll(PICTURES);
  return [...pictures].filter(picture => picture.getClientRects().length);
}

/** @type {(page: Document) => HTMLElement[]} */
function visiblePictures(page) {
  return displayedPictures(page).filter(picture => getComputedStyle(picture).visibility === "visible");
}

/**
 * Show the answer that the pictures wait for, with its question. False if none do.
 * @param {Document} page
 * @returns {boolean}
 */
function showAnswer(page) {
  /** @type {HTMLButtonElement | null} */
  const button = page.querySelector(SHOW_ANSWER);
  button?.scrollIntoView({ block: "center" });
  button?.click();
  return button !== null;
}

/** @type {(picture: HTMLElement) => HTMLButtonElement[]} */
function figureButtons(picture) {
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = picture.querySelectorAll(":scope > .ew-switcher button");
  return [...buttons];
}

/** @type {(button: HTMLButtonElement) => boolean} */
const isPressed = button => button.getAttribute("aria-pressed") === "true";

/** @type {(picture: HTMLElement) => number} */
function visibleShare(picture) {
  const { top, bottom, height } = picture.getBoundingClientRect();
  return Math.max(0, Math.min(bottom, window.innerHeight) - Math.max(top, 0)) / Math.max(height, 1);
}

/**
 * The index of the picture that the audience sees: the one that the keys showed last, unless it was scrolled out of the
 * window, or the one with the largest visible share. The first of several that are seen alike.
 * @param {HTMLElement[]} pictures
 * @returns {number}
 */
function indexInSight(pictures) {
  const shares = pictures.map(visibleShare), before = latest ? pictures.indexOf(latest) : -1;
  return shares[before] > 0 ? before : shares.indexOf(Math.max(...shares));
}

/** @type {(page: Document) => void} */
function scrollToTop(page) {
  page.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
}

/**
 * Scroll until a picture is completely in the window, below the presenter's bar. What is above the picture and describes
 * it stays in sight where there is room: before the first picture the top of the page, before others their scroll margin
 * (presentation.css).
 * @param {HTMLElement} picture
 * @param {boolean} isFirst
 * @param {Document} page
 */
function bringIntoView(picture, isFirst, page) {
  const isInside = () => {
    const { top, bottom } = picture.getBoundingClientRect();
    return top >= BAR_BOTTOM && bottom <= window.innerHeight;
  };
  if (isFirst) scrollToTop(page);
  if (isInside()) return;
  picture.scrollIntoView({ block: "start" });
  const { top, bottom } = picture.getBoundingClientRect();
  const hidden = Math.min(bottom - window.innerHeight, top - BAR_BOTTOM);
  if (hidden > 0) page.querySelector("[data-testid=stMain]")?.scrollBy({ top: hidden });
}

/**
 * @param {HTMLElement[]} pictures
 * @param {number} index
 * @param {HTMLButtonElement | undefined} button  of the figure, where the picture has several
 * @param {Document} page
 */
function showStop(pictures, index, button, page) {
  if (button && !isPressed(button)) button.click();
  latest = pictures[index];
  bringIntoView(latest, index === 0, page);
}

/**
 * Show the next or the previous figure of the page, or the answer that it waits for. False if there is none.
 * @param {Direction} direction
 * @param {Document} [page]
 * @returns {boolean}
 */
export function showNeighbour(direction, page = document) {
  const pictures = visiblePictures(page);
  if (!pictures.length) return direction === 1 && showAnswer(page);
  const index = indexInSight(pictures), buttons = figureButtons(pictures[index]);
  const endsBelow = pictures[index].getBoundingClientRect().bottom > window.innerHeight;
  if (direction === 1 && latest !== pictures[index] && endsBelow) {  // nobody has seen its end yet
    showStop(pictures, index, buttons.find(isPressed), page);
    return true;
  }
  const button = buttons[buttons.findIndex(isPressed) + direction];
  if (button) {
    showStop(pictures, index, button, page);
    return true;
  }
  const neighbour = index + direction;
  if (!pictures[neighbour]) return direction === 1 && showAnswer(page);
  showStop(pictures, neighbour, figureButtons(pictures[neighbour]).at(direction === 1 ? 0 : -1), page);
  return true;
}

/**
 * Show the last figure of the page.
 * @param {Document} [page]
 */
export function showLastFigure(page = document) {
  const pictures = visiblePictures(page);
  if (pictures.length) showStop(pictures, pictures.length - 1, figureButtons(pictures[pictures.length - 1]).at(-1), page);
}

/**
 * Another page begins: at its top, and with none of its pictures shown by the keys.
 * @param {Document} [page]
 */
export function startPage(page = document) {
  latest = null;
  scrollToTop(page);
}

/**
 * Whether the page shows a picture.
 * @param {Document} [page]
 * @returns {boolean}
 */
export const hasPictures = (page = document) => displayedPictures(page).length > 0;

/**
 * Whether the page is complete: no script of it runs, and each plot has its figures.
 * @param {Document} [page]
 * @returns {boolean}
 */
export function isAtRest(page = document) {
  /** @type {HTMLElement | null} */
  const app = page.querySelector("[data-testid=stApp]");
  const plots = displayedPictures(page).filter(picture => picture.matches(".ew-plot"));
  return app?.dataset.testScriptState === "notRunning" && plots.every(plot => figureButtons(plot).length > 0);
}
