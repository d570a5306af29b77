/** Maximum edit distance of a suggestion. */
const DISTANCE_MAX = 2;

/** The name that `word` was probably meant to be; undefined for a known name, or if none is similar. */
export function suggestName(word: string, names: readonly string[]): string | undefined {
  if (!/^[a-z]+$/.test(word) || names.includes(word)) return undefined;
  const near = names.map((name) => ({ name, distance: editDistance(word, name) }));
  near.sort((a, b) => a.distance - b.distance);
  const [best] = near;
  if (best === undefined || best.distance > Math.min(DISTANCE_MAX, best.name.length - 2)) return undefined;
  return best.name;
}

/** Scripts that write a sentence without spaces. */
const SPACELESS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u;

/** Whether a text is one word, and so rather the name of a command than a prompt. */
export const isOneWord = (text: string): boolean => /^\s*\S+\s*$/.test(text) && !SPACELESS.test(text);

/** The number of letters to add, remove or replace to turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
