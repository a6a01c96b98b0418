// The page's font for a saved picture or page, which has no access to the style sheets of this one: another font is
// wider than what Plotly has measured.
// @ts-check

const FAMILY = "Source Sans";

/**
 * A rule of CSS with the font; "" where the page has none.
 * @returns {Promise<string>}
 */
export async function fontRule() {
  for (const sheet of document.styleSheets) {
    const rule = Array.from(readRules(sheet)).find(isUpright);
    const source = rule && /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue("src"))?.[1];
    if (!source) continue;
    const font = await (await fetch(new URL(source, sheet.href ?? document.baseURI))).blob();
    return `@font-face{font-family:"${FAMILY}";font-weight:100 900;src:url(${await toDataUrl(font)})}`;
  }
  return "";
}

/** @type {(rule: CSSRule) => rule is CSSFontFaceRule} */
const isUpright = rule => rule instanceof CSSFontFaceRule && rule.style.getPropertyValue("font-style") !== "italic"
  && rule.style.getPropertyValue("font-family").replace(/["']/g, "") === FAMILY;

/** @type {(sheet: CSSStyleSheet) => CSSRule[]} */
function readRules(sheet) {
  try {
    return Array.from(sheet.cssRules);
  } catch {
    return [];  // of another origin, such as a browser's extension
  }
}

/** @type {(blob: Blob) => Promise<string>} */
const toDataUrl = blob => new Promise((done, fail) => {
  const reader = new FileReader();
  reader.onload = () => done(String(reader.result));
  reader.onerror = () => fail(reader.error);
  reader.readAsDataURL(blob);
});
