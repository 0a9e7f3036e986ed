// The few statistics the benchmark reports.

/** Value below which the fraction `q` (0 to 1) of the values lies; NaN for no values. */
export function quantile(values, q) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

/** Half the distance between the quartiles: how far a typical round lies from the median. */
export const spread = (values) => (quantile(values, 0.75) - quantile(values, 0.25)) / 2;

/** The values in a random order (Fisher and Yates); the argument is left alone. */
export function shuffled(values) {
  const out = [...values];
  for (let i = out.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}
