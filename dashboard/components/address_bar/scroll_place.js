// Where a page is scrolled to: a new page begins at its top, and Back and Forward return to where it was left. Streamlit
// scrolls to nothing, so that the new page would begin wherever the old one, which may be longer, was left.
// @ts-check

/** @type {Map<string, number>} */
const left = new Map();  // path of a page -> where it was left
let path = window.location.pathname, /** @type {number | null} */ returnTo = null;
let atClick = 0;  // when Streamlit changes the path, the new page has already begun, and may be shorter

const scroller = () => document.querySelector("[data-testid=stMain]");

/** @type {(top: number) => void} */
const scrollTo = top => scroller()?.scrollTo(0, top);

/** Call it once in a tab. */
export function watchScrollPlace() {
  document.addEventListener("click", () => {
    atClick = scroller()?.scrollTop ?? 0;
  }, { capture: true });
  window.addEventListener("popstate", ({ isTrusted }) => leavePage(isTrusted));  // others are those of address.js
}

/**
 * Call it when the path may have changed, before the new page is there.
 * @param {boolean} isReturn  whether the browser goes back or forward
 */
export function leavePage(isReturn) {
  if (window.location.pathname === path) return;
  left.set(path, isReturn ? scroller()?.scrollTop ?? 0 : atClick);
  path = window.location.pathname;
  returnTo = isReturn ? left.get(path) ?? null : null;
  scrollTo(0);
}

/** Call it when the page is there. */
export function arriveAtPage() {
  if (returnTo !== null) scrollTo(returnTo);
  returnTo = null;
}
