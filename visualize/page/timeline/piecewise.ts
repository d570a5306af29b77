/**
 * The linear function through at least two points, in order of `xs`. Beyond the ends it goes on in a line.
 * A part without length has the value of its start.
 */
export function piecewise(xs: readonly number[], ys: readonly number[]): (x: number) => number {
  return (x) => {
    const part = partOf(xs, x);
    const { [part]: from = 0, [part + 1]: to = from } = xs;
    const { [part]: first = 0, [part + 1]: second = first } = ys;
    return to === from ? first : first + ((x - from) / (to - from)) * (second - first);
  };
}

/** The last part that starts at a value or before it; the first part for smaller values. */
function partOf(xs: readonly number[], x: number): number {
  let [low, high] = [0, xs.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((xs[middle] ?? 0) <= x) low = middle;
    else high = middle;
  }
  return low;
}

/** About `count` round whole numbers between two numbers. */
export function wholeTicks(from: number, to: number, count: number): readonly number[] {
  const step = roundStep((to - from) / Math.max(1, count));
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(0, Math.floor(to / step) - first + 1) },
    (_, index) => (first + index) * step,
  );
}

/** The step of 1, 2 or 5 times a power of ten that is nearest in proportion; at least 1. */
function roundStep(step: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(step)));
  const [factor = 1] = ROUND.find(([, least]) => step >= Math.sqrt(least) * power) ?? [];
  return factor * power;
}

/** The factors above 1, and the square of the smallest number that each of them is for. */
const ROUND: readonly (readonly [factor: number, least: number])[] = [
  [10, 50],
  [5, 10],
  [2, 2],
];
