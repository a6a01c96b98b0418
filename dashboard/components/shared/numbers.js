// The number format of everything on screen. encoder_core/support/number_format.py implements the same rule for Python;
// tests/javascript/test_numbers.py compares both.
// @ts-check

const LARGEST_PLAIN = 1e6;    // larger numbers, and those below SMALLEST_PLAIN, get an exponent
const SMALLEST_PLAIN = 1e-4;

const plainFormat = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 17 });
/** @type {Map<number, Intl.NumberFormat>} by number of digits, because creating a format is slow */
const scientificFormats = new Map();

/** @type {(value: number, digits: number) => string} */
function formatScientific(value, digits) {
  let format = scientificFormats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { notation: "scientific", maximumSignificantDigits: digits });
    scientificFormats.set(digits, format);
  }
  return format.format(value);
}

/** @type {(text: string) => string} */
const withMinusSign = text => text.replaceAll("-", "−");

/**
 * The number that `formatNumber` writes.
 * @param {number} value  finite
 * @param {number} [digits]
 * @returns {number}
 */
export function roundNumber(value, digits = 4) {
  const isExact = Number.isInteger(value) && Math.abs(value) <= LARGEST_PLAIN;
  return isExact ? value : Number(formatScientific(value, digits));
}

/**
 * A number with at most `digits` significant digits, without trailing zeros. Integers up to a million are exact.
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function formatNumber(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const rounded = roundNumber(value, digits);
  if (rounded === 0) return "0";
  const magnitude = Math.abs(rounded);
  const isPlain = SMALLEST_PLAIN <= magnitude && magnitude <= LARGEST_PLAIN;
  return withMinusSign(isPlain ? plainFormat.format(rounded) : formatScientific(value, digits).replace("E", "e"));
}
