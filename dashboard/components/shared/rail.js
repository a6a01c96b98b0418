// The line of links to all stages, above the page.
// @ts-check

/** @type {Element | null} */
let observed = null;

/**
 * Scroll the rail to the link of the current stage, now and when its width changes: on a phone it is wider than the
 * screen, which can be turned. The page must not scroll, because figures are also mounted below the place that the user
 * reads: the effect of the first edit.
 */
export function scrollRailToStage() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".st-key-rail a");
  const link = [...links].filter(({ pathname }) => pathname === window.location.pathname).at(-1);
  const rail = link?.closest(".st-key-rail");
  if (!link || !rail) return;
  if (rail !== observed) {
    observed = rail;
    new ResizeObserver(scrollRailToStage).observe(rail);
  }
  const linkBox = link.getBoundingClientRect(), railBox = rail.getBoundingClientRect();
  rail.scrollLeft += (linkBox.left + linkBox.right - railBox.left - railBox.right) / 2;
}
