// Numbers, shares and labels as text, by the rule of tree/spelling.py.

export function spellNumber(value, digits = 3) {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (size >= 1e15 || (size > 0 && size < 1e-4)) {
    const [mantissa, power] = value.toExponential(Math.max(digits - 1, 0)).split("e");
    text = `${strip(mantissa)}e${Number(power)}`;
  } else {
    const decimals = size >= 1 || size === 0 ? digits : digits - 1 - Math.floor(Math.log10(size));
    text = strip(value.toFixed(Math.min(decimals, 20)));
  }
  return text === "0" || text === "-0" ? "0" : text.replaceAll("-", "−");
}

function strip(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

// A proportion as per cent: 0 % and 100 % only if exact.
export function spellShare(part) {
  if (Number.isNaN(part)) return "–";
  const percent = 100 * part;
  if (part > 0 && percent < 0.1) return "< 0.1 %";
  if (part < 1 && percent > 99.9) return "> 99.9 %";
  return `${percent < 9.95 || (percent > 90.05 && part < 1) ? percent.toFixed(1).replace(/\.0$/, "") : Math.round(percent)} %`;
}

// A proportion as per cent with one decimal, so that products can be checked by hand; as in tree/row_sum.py.
export function spellFactor(part) {
  return part < 0.0005 ? "< 0.1 %" : part >= 0.9995 ? "100 %" : `${(100 * part).toFixed(1)} %`;
}

// Summands with their signs, all with as many decimals as the largest needs for three digits; as in tree/row_sum.py.
export function spellSummands(values) {
  const size = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const isPlain = size >= 1e-4 && size < 1e9;
  const decimals = isPlain ? Math.max(0, 2 - Number(size.toExponential(6).split("e")[1])) : 0;
  return values.map((value) => {
    const text = isPlain && Number.isFinite(value) ? value.toFixed(decimals).replace(/^-(?=[0.]*$)/, "").replace("-", "−") : spellNumber(value);
    return text.startsWith("−") ? text : `+${text}`;
  });
}

// The difference of two probabilities, in percentage points.
export function spellPoints(difference) {
  const points = 100 * Math.abs(difference);
  if (points === 0) return "0 points";
  return points < 0.05 ? "< 0.1 points" : `${difference > 0 ? "+" : "−"}${points.toFixed(1)} points`;
}

export function spellCount(count) {
  return Number.isFinite(count) ? spellNumber(count, count >= 100 ? 0 : 1) : "unknown";
}

// A number typed by the user, with a decimal comma or point and any minus sign; NaN for other text.
export function readTyped(text) {
  const plain = text.trim().replaceAll("−", "-").replace(",", ".");
  return plain === "" ? NaN : Number(plain);
}

// The labels of `labels_to_dict` as text.
export function spellLabels(stored) {
  return stored.values.map((value) => (typeof value === "boolean" ? (value ? "True" : "False") : String(value)));
}

export function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, Math.max(1, most - 1)).join("").trimEnd() + "…";
}
