// Lines that are wider than the screen of a phone, scrolled to what is chosen in them.
// @ts-check

/** @type {Element | null} */
let observed = null;
const links = new MutationObserver(scrollRailToStage);

/**
 * Scroll a line sideways, so that a part of it is in its middle. The page must not scroll, because figures are also mounted
 * below the place that the user reads: the effect of the first edit.
 * @param {Element} line
 * @param {Element} part
 */
function scrollToMiddle(line, part) {
  const partBox = part.getBoundingClientRect(), box = line.getBoundingClientRect();
  line.scrollLeft += (partBox.left + partBox.right - box.left - box.right) / 2;
}

/**
 * Scroll the rail, the links to all stages, to that of the current one, now and when its width changes: a phone can be
 * turned. In a first visit, figures can be on the page before the links are.
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
  scrollToMiddle(rail, link);
}

const resized = new ResizeObserver(entries => {
  for (const { target } of entries) {
    const chosen = target.querySelector("[data-selected]");
    if (chosen) scrollToMiddle(target, chosen);
  }
});

function observePickers() {
  for (const picker of document.querySelectorAll(".st-key-focus [role=radiogroup]")) resized.observe(picker);
}

const pickers = new MutationObserver(observePickers);

/**
 * Scroll pickers to the chosen option when their width changes. Streamlit does so when an option is chosen; the pickers
 * that arrive later in the same line then leave less room. In a first visit, a picker comes when its script has loaded.
 */
export function scrollPickersToChosen() {
  pickers.disconnect();
  const line = document.querySelector(".st-key-focus");
  if (!line) return;
  pickers.observe(line, { childList: true, subtree: true });
  observePickers();
}
