/** The median of the values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The quantile of the values at `share`, interpolated. @throws RangeError without values */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const index = (sorted.length - 1) * share;
  const below = sorted[Math.floor(index)];
  const above = sorted[Math.ceil(index)];
  if (below === undefined || above === undefined)
    throw new RangeError("A quantile needs at least one value.");
  return below + (above - below) * (index - Math.floor(index));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Format a number with three significant digits, without an exponent. */
export function formatNumber(value: number): string {
  if (value === 0) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}

/** Format the median and the range of the values: `3.2 [2.9 to 4.0]`. */
export function formatSpread(values: readonly number[]): string {
  return `${formatNumber(median(values))} [${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}]`;
}
