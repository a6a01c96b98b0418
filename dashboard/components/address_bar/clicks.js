// What a click does in the browser besides what Streamlit does with it.
// @ts-check

const APPLIED = 100;  // milliseconds in which Streamlit sends what a field contains after it has lost the focus

// Open a link a moment later if somebody was typing. Where the focus moves only when the link is opened, as after a tap,
// Streamlit would send the text after the choice of the page, as a change of the page before, and stay there; a number
// would be lost. Not when the finger goes down: a run of the page might move the link away under it.
// A click on a figure does not move the focus at all: Plotly prevents it.
function applyFieldBeforeClicks() {
  let isTyping = false, isOnFigure = false;
  document.addEventListener("pointerdown", ({ target }) => {
    const field = document.activeElement;
    isTyping = field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement;
    isOnFigure = target instanceof Element && Boolean(target.closest(".js-plotly-plot"));
  }, { capture: true });
  document.addEventListener("pointerup", () => {
    if (isTyping && isOnFigure) /** @type {HTMLElement} */ (document.activeElement).blur();
  }, { capture: true });
  document.addEventListener("click", event => {
    const link = event.target instanceof Element && event.target.closest("a");
    if (!isTyping || !link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    isTyping = false;
    event.preventDefault();
    event.stopPropagation();
    setTimeout(() => link.click(), APPLIED);
  }, { capture: true });
}

/**
 * Call the action after a click on an element, or on what is in it.
 * @param {string} selector
 * @param {(element: Element) => void} action
 */
function onClick(selector, action) {
  document.addEventListener("click", ({ target }) => {
    const element = target instanceof Element && target.closest(selector);
    if (element) action(element);
  });
}

// Streamlit leaves the focus on the button of a popover, whose content is at the end of the page: a key that opens it
// takes the focus along.
function focusPopoversOpenedByKey() {
  document.addEventListener("click", ({ detail, target }) => {
    if (detail || !(target instanceof Element) || !target.closest("[data-testid=stPopoverButton]")) return;
    let frames = 30;
    const focus = () => {
      const body = find("[data-testid=stPopoverBody]");
      if (!body) return frames-- > 0 && requestAnimationFrame(focus);
      body.tabIndex = -1;
      body.focus({ preventScroll: true });
    };
    requestAnimationFrame(focus);
  });
}

/** @type {(selector: string) => HTMLElement | null} */
const find = selector => document.querySelector(selector);

/** Call it once in a tab. */
export function watchClicks() {
  applyFieldBeforeClicks();
  focusPopoversOpenedByKey();
  // The buttons at the end of the walkthrough change the figure, which is above the window then.
  onClick("[class*=st-key-ending] button", () => find(".st-key-focus")?.scrollIntoView({ block: "start" }));
  // A button in a menu changes what the menu covers, so it closes the menu, as Escape does. A mask takes several clicks.
  onClick("[data-testid=stPopoverBody] .stButton button", button => {
    if (button.closest(".st-key-mask_editor")) return;
    setTimeout(() => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  });
  // "Apply" is the last step in a text on a phone, where the sidebar covers the result, and a link in it opens a page.
  onClick("[data-testid=stSidebar] [class*=st-key-apply_] button, [data-testid=stSidebarNavLink]", () =>
    setTimeout(() => find("[data-testid=stSidebarCollapseButton] button")?.click(), APPLIED));
}
