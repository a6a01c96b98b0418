// What a line does with scripts that are loaded at their first use: it draws a product cell by cell, and saves figures.
// @ts-check

import { staticUrl } from "../../shared/dom.js";
import { describeCell } from "./hover.js";
import { FORMATS } from "../panel/panel_elements.js";

/** @typedef {import("../plot.js").PlotLine} PlotLine */

/**
 * Draw the first product of the line cell by cell. `script` is the name of the published player.
 * @param {PlotLine} line
 * @param {string} script
 */
export async function startPlayer(line, script) {
  const { play } = await import(staticUrl(script));
  const panels = line.items.map(({ panel }) => panel), index = panels.findIndex(panel => panel.product);
  if (index < 0) return;  // the product went while the script was loaded
  const product = /** @type {import("../panel/panel.js").MatrixPanel} */ (panels[index]);
  if (!line.panelElements[index].area) return;  // nothing is painted yet
  play(line, index, (/** @type {number} */ row, /** @type {number} */ column) => {
    const [position, value, sum] = describeCell(panels, product, row, column);
    return `${position}: ${sum ?? value}`;
  });
}

/**
 * Let the menu of each panel save it as a file. `script` and `bundle` are names of published files.
 * @param {PlotLine} line
 * @param {string} script
 * @param {string} bundle
 */
export function connectSaveMenus({ items, panelElements }, script, bundle) {
  panelElements.forEach(({ plot, saveMenu, saveButtons }, i) => saveButtons.forEach((button, j) => {
    button.hidden = FORMATS[j] === "CSV" && items[i].panel.kind === "flow";  // a diagram has no numbers
    button.onclick = async () => {
      saveMenu.open = false;
      const { savePanel } = await import(staticUrl(script));
      await savePanel(FORMATS[j], items[i], plot, bundle);
    };
  }));
}
