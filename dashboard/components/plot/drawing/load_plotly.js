// Loads plotly.js, which dashboard/components/plot/__init__.py publishes from the package plotly.
// @ts-check

import { staticUrl } from "../../shared/dom.js";

/**
 * Load Plotly, once for all components of the tab. A failed load is tried again at the next call.
 * @param {string} bundle
 * @returns {Promise<Plotly>}
 */
export function loadPlotly(bundle) {
  window.encoderWalkthroughPlotly ??= new Promise((resolve, reject) => {
    const fail = () => {
      delete window.encoderWalkthroughPlotly;
      reject(new Error("Plotly did not load"));
    };
    const script = document.createElement("script");
    script.src = staticUrl(bundle);
    script.onload = () => window.Plotly ? resolve(window.Plotly) : fail();
    script.onerror = fail;
    document.head.append(script);
  });
  return window.encoderWalkthroughPlotly;
}
