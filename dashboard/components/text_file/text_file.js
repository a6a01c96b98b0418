// A button that reads a text file and sends its name, size and text. The text of a file that cannot be sent is null.
// @ts-check

import { appendElement, hostElement } from "../shared/dom.js";

/**
 * @typedef {{ label: string, maxBytes: number }} FileData
 * @typedef {import("../shared/dom.js").Component<FileData>} FileComponent
 */

// Control characters other than tab, line ends and page ends: no text has them, and JSON would need six bytes for each.
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001f]/;

/**
 * The text of a file; null if the file is too large, or not a text in UTF-8.
 * @param {Blob} file
 * @param {number} maxBytes
 * @returns {Promise<string | null>}
 */
export async function readText(file, maxBytes) {
  if (file.size > maxBytes) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return BINARY.test(text) ? null : text;
  } catch {
    return null; // other bytes than UTF-8, or a file that has been deleted meanwhile
  }
}

/** @param {FileComponent} component */
export default function (component) {
  const { label, maxBytes } = component.data;
  const host = /** @type {HTMLElement} */ (hostElement(component.parentElement, ".ew-text_file"));
  const focused = host.contains(document.activeElement);
  host.replaceChildren();
  const button = appendElement(host, "label", "", `⇪ ${label}`), input = appendElement(button, "input");
  input.type = "file";
  input.accept = ".txt,text/plain";
  /** @type {(file: File | undefined) => Promise<void>} */
  const send = async file => {
    if (!file) return;
    component.setTriggerValue("file", { name: file.name, size: file.size, text: await readText(file, maxBytes) });
  };
  input.onchange = () => {
    send(input.files?.[0]);
    input.value = ""; // so that the same file can be chosen again after an edit
  };
  button.ondragover = event => {
    event.preventDefault();
    button.classList.add("ew-over");
  };
  button.ondragleave = () => button.classList.remove("ew-over");
  button.ondrop = event => {
    event.preventDefault();
    button.classList.remove("ew-over");
    send(event.dataTransfer?.files[0]);
  };
  if (focused) input.focus({ preventScroll: true });
}
