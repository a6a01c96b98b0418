// How a number is written on screen. encoder_core/explain/number_format.py holds the same rule for Python; a test compares both.

const LARGEST_PLAIN = 1e6;    // beyond it, and below SMALLEST_PLAIN, a number is written with an exponent
const SMALLEST_PLAIN = 1e-4;

const PLAIN = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 17 });
const scientific = {};        // one Intl.NumberFormat for each number of digits: making one is slow

function withExponent(value, digits) {
  scientific[digits] ??= new Intl.NumberFormat("en-US", { notation: "scientific", maximumSignificantDigits: digits });
  return scientific[digits].format(value);
}

const trueMinus = text => text.replaceAll("-", "−");

// At most `digits` significant digits, without trailing zeros. Integers up to a million are exact.
export function formatNumber(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const isExact = Number.isInteger(value) && Math.abs(value) <= LARGEST_PLAIN;
  const rounded = isExact ? value : Number(withExponent(value, digits));
  if (rounded === 0) return "0";
  const size = Math.abs(rounded);
  const isPlain = SMALLEST_PLAIN <= size && size <= LARGEST_PLAIN;
  return trueMinus(isPlain ? PLAIN.format(rounded) : withExponent(value, digits).replace("E", "e"));
}
