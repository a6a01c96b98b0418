// The line of links to all stages, above the page.
// @ts-check

/** @type {Element | null} */
let observed = null;
const links = new MutationObserver(scrollRailToStage);

/**
 * Scroll the rail to the link of the current stage, now and when its width changes: on a phone it is wider than the
 * screen, which can be turned. The page must not scroll, because figures are also mounted below the place that the user
 * reads: the effect of the first edit. In a first visit, figures can be on the page before the links are.
 */
export function scrollRailToStage() {
  links.disconnect();
  const rail = document.querySelector(".st-key-rail");
  if (!rail) return;
  const link = [...rail.querySelectorAll("a")].filter(({ pathname }) => pathname === window.location.pathname).at(-1);
  if (!link) {
    links.observe(rail, { childList: true, subtree: true });
    return;
  }
  if (rail !== observed) {
    observed = rail;
    new ResizeObserver(scrollRailToStage).observe(rail);
  }
  const linkBox = link.getBoundingClientRect(), railBox = rail.getBoundingClientRect();
  rail.scrollLeft += (linkBox.left + linkBox.right - railBox.left - railBox.right) / 2;
}
