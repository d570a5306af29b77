/**
 * The positions of `wanted` in `items`, overlapping ones too, in order. The time is linear in both lengths, also for a
 * repetitive text: it is the algorithm of Knuth, Morris and Pratt.
 *
 * @returns none for an empty `wanted`
 */
export function positionsOf(items: ArrayLike<string>, wanted: ArrayLike<string>): readonly number[] {
  if (wanted.length === 0 || wanted.length > items.length) return [];
  const borders = bordersOf(wanted);
  const positions: number[] = [];
  let matched = 0;
  for (let at = 0; at < items.length; at += 1) {
    while (matched > 0 && items[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (items[at] === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    positions.push(at + 1 - wanted.length);
    matched = borders[matched - 1] ?? 0;
  }
  return positions;
}

/** For each beginning of `wanted`: the length of its longest proper beginning that is also its end. */
function bordersOf(wanted: ArrayLike<string>): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
