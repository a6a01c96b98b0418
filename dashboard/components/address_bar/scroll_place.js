// Where a page is scrolled to: a new page begins at its top, and Back and Forward return to where it was left, also within
// a page after a jump to one of its headings. Streamlit scrolls to nothing, so that the new page would begin wherever the
// old one, which may be longer, was left; and browsers remember the place of the document only, which does not scroll.
// @ts-check

const JUMP = 500;  // milliseconds within which a click on a link to a heading changes the address

/** @type {Map<string, number>} */
const left = new Map();  // path and heading -> where the page was left
let { pathname: path, hash } = window.location, /** @type {number | null} */ returnTo = null;
let atClick = 0;  // when Streamlit changes the path, the new page has already begun, and may be shorter
let jumpsUntil = 0;

const scroller = () => document.querySelector("[data-testid=stMain]");

/** @type {(top: number) => void} */
const scrollTo = top => scroller()?.scrollTo(0, top);

/** Call it once in a tab. */
export function watchScrollPlace() {
  document.addEventListener("click", ({ target, timeStamp }) => {
    atClick = scroller()?.scrollTop ?? 0;
    jumpsUntil = target instanceof Element && target.closest("a[href^='#']") ? timeStamp + JUMP : 0;
  }, { capture: true });
  window.addEventListener("popstate", ({ isTrusted, timeStamp }) => {  // others are those of address.js
    const isJump = timeStamp < jumpsUntil;
    jumpsUntil = 0;
    if (window.location.pathname !== path) leavePage(isTrusted);
    else if (window.location.hash !== hash) leaveHeading(isTrusted && !isJump);
  });
}

/**
 * Call it when the path may have changed, before the new page is there.
 * @param {boolean} isReturn  whether the browser goes back or forward
 */
export function leavePage(isReturn) {
  if (window.location.pathname === path) return;
  leave(isReturn);
  returnTo = isReturn ? left.get(path + hash) ?? null : null;
  scrollTo(0);
}

/** @param {boolean} isReturn */
function leaveHeading(isReturn) {
  leave(isReturn);
  const top = left.get(path + hash);
  if (isReturn && top !== undefined) scrollTo(top);
}

/** @param {boolean} isReturn */
function leave(isReturn) {
  left.set(path + hash, isReturn ? scroller()?.scrollTop ?? 0 : atClick);
  ({ pathname: path, hash } = window.location);
}

/** Call it when the page is there. */
export function arriveAtPage() {
  if (returnTo !== null) scrollTo(returnTo);
  returnTo = null;
}
