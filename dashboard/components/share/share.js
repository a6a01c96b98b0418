// A link with its QR code. The browser copies the link and shows the code full-screen; the server learns nothing of it.
// @ts-check

import { appendElement, createSvg, hostElement, setLabel, unlessTakenBack } from "../shared/dom.js";

/**
 * What dashboard/components/share/__init__.py sends. `size` is 0 where the link is too long for a code.
 * @typedef {{ link: string, title: string, size: number, path: string, maxCode: number }} ShareData
 */

const SHOWN_LONG = 1800;  // milliseconds that "Copied" stays

/** @type {(parent: HTMLElement, size: number, path: string, label: string) => void} */
function appendCode(parent, size, path, label) {
  const svg = createSvg("svg"), modules = createSvg("path");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("shape-rendering", "crispEdges");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  modules.setAttribute("d", path);
  svg.append(modules);
  parent.append(svg);
}

// Browsers offer the clipboard only to https and localhost; a selected text can be copied everywhere.
/** @type {(field: HTMLInputElement) => Promise<boolean>} */
async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

/** @type {(card: HTMLElement) => boolean} */
const isFullScreen = card => document.fullscreenElement === card || card.classList.contains("ew-whole");

/** @type {(card: HTMLElement) => Promise<void>} */
async function enterFullScreen(card) {
  try {
    await card.requestFullscreen();
  } catch {
    card.classList.add("ew-whole");  // a phone without the interface: over the whole window
  }
  card.focus();  // what is not in the full screen loses the focus
}

/**
 * Let a click and keys end the full screen, and give the focus back to the button.
 * @param {HTMLElement} card
 * @param {HTMLButtonElement} button
 */
function listen(card, button) {
  const leave = () => {
    card.classList.remove("ew-whole");
    if (document.fullscreenElement) document.exitFullscreen();
    else button.focus();
  };
  card.tabIndex = -1;
  card.onclick = () => { if (isFullScreen(card)) leave(); };
  card.onkeydown = event => {
    if (!isFullScreen(card) || !["Escape", "Enter", " "].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();  // Escape would close the dialog, too
    leave();
  };
  card.onfullscreenchange = () => { if (!document.fullscreenElement) button.focus(); };
}

/** @type {(parent: HTMLElement, text: string, onclick: () => void) => HTMLButtonElement} */
function appendButton(parent, text, onclick) {
  const button = appendElement(parent, "button", "", text);
  return Object.assign(button, { type: "button", onclick });
}

/**
 * Show the link and its code.
 * @param {import("../shared/dom.js").Component<ShareData>} component
 */
function show({ data, parentElement }) {
  const { link, title, size, path, maxCode } = data;
  /** @type {HTMLElement} */
  const host = hostElement(parentElement, ".ew-share");
  host.replaceChildren();
  const card = appendElement(host, "div", "ew-code");
  if (size) {
    appendCode(card, size, path, `QR code of the link to ${title}`);
    appendElement(card, "p", "ew-code-title", title);
    appendElement(card, "p", "", "Scan to open the link.");
  } else {
    appendElement(card, "p", "", `The link has ${link.length} characters. The code of a link of more than ${maxCode} `
      + "characters is too fine for a phone: copy the link instead.");
  }
  const field = appendElement(host, "input", "ew-link");
  Object.assign(field, { readOnly: true, value: link, onfocus: () => field.select() });
  setLabel(field, "Link to this view");
  const buttons = appendElement(host, "div", "ew-share-buttons");
  const status = document.createElement("span");
  status.setAttribute("role", "status");
  appendButton(buttons, "Copy link", async () => {
    status.textContent = await copy(field) ? "Copied" : "Copy the selected link with the keyboard";
    setTimeout(() => { status.textContent = ""; }, SHOWN_LONG);
  });
  if (size) listen(card, appendButton(buttons, "Full screen", () => enterFullScreen(card)));
  buttons.append(status);
}

/** @param {import("../shared/dom.js").Component<ShareData>} component */
export default function (component) {
  return unlessTakenBack(() => show(component));
}
