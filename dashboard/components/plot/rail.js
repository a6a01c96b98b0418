// The rail above the page: the links to all stages.
// @ts-check

/**
 * Scroll the rail to the link of the current stage: on a phone it is wider than the screen. The page must not scroll,
 * because plots are also mounted below the place that the user reads: the effect of the first edit.
 */
export function scrollRailToStage() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".st-key-rail a");
  const link = [...links].filter(({ pathname }) => pathname === window.location.pathname).at(-1);
  const rail = link?.closest(".st-key-rail");
  if (!link || !rail) return;
  const linkBox = link.getBoundingClientRect(), railBox = rail.getBoundingClientRect();
  rail.scrollLeft += (linkBox.left + linkBox.right - railBox.left - railBox.right) / 2;
}
