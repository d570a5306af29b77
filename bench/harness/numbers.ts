/** The middle of the values; of an even number of them, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which `share` of the values lie, between neighbours in proportion. @throws RangeError without values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined)
    throw new RangeError("A quantile needs at least one value.");
  return below + (above - below) * (place - Math.floor(place));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The number with three significant digits, without an exponent. */
export function short(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}

/** `3.1 3.2 3.3 [2.9 to 4.0]`: the median with its range. */
export function spread(values: readonly number[]): string {
  return `${short(median(values))} [${short(Math.min(...values))} to ${short(Math.max(...values))}]`;
}
