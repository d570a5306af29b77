/** The position of the last item whose number is at most `number`, in a list that is sorted by it; -1: none. */
export function lastUntil<T>(list: readonly T[], number: number, numberOf: (item: T) => number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = list[middle];
    if (item !== undefined && numberOf(item) <= number) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
