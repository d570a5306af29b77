/** The fewest characters of an id that are shown: it stays good when more tasks come. */
const CHARS_MIN = 8;

/** Finds the shortest beginnings that tell these ids apart. A subtask goes by its parent's: `3f2a91c0.1`. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = ids.toSorted();
  const beginnings = new Map<string, string>();
  for (const [index, id] of sorted.entries()) {
    const parent = id.slice(0, Math.max(0, id.lastIndexOf(".")));
    const short = beginnings.get(parent);
    if (short !== undefined) {
      beginnings.set(id, `${short}${id.slice(parent.length)}`);
      continue;
    }
    // The neighbours in this order are the most alike; a subtask is meant by more than its parent's beginning.
    const shared = Math.max(
      sharedWith(id, sorted[index - 1]),
      sharedWith(
        id,
        sorted.slice(index + 1).find((other) => !other.startsWith(`${id}.`)),
      ),
    );
    beginnings.set(id, id.slice(0, Math.max(CHARS_MIN, shared + 1)));
  }
  return (id) => beginnings.get(id) ?? id;
}

function sharedWith(id: string, other = ""): number {
  let count = 0;
  while (count < id.length && id[count] === other[count]) count += 1;
  return count;
}
