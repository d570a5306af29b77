/** The part of a diff about one file. */
export interface DiffSection {
  /** Undefined if its header can't be read, such as one that was cut. */
  readonly path: string | undefined;
  readonly text: string;
}

/** A line of a file never begins so: it has a mark in front. */
const HEADER = /^(?=diff --git )/m;

/** Splits a diff without renames, with the prefixes `a/` and `b/`. Text before the first file is left out. */
export function diffSections(diff: string): readonly DiffSection[] {
  return diff
    .split(HEADER)
    .filter((text) => text.startsWith("diff --git "))
    .map((text) => ({ path: pathIn(text), text }));
}

/** Both names of the header are the same: each is half of it. */
function pathIn(section: string): string | undefined {
  const end = section.indexOf("\n");
  const names = section.slice("diff --git ".length, Math.max(end, 0));
  const half = (names.length - 1) / 2;
  const [old, now] = [unquoted(names.slice(0, half)), unquoted(names.slice(half + 1))];
  if (names[half] !== " " || !old?.startsWith("a/") || !now?.startsWith("b/")) return undefined;
  return old.slice(2) === now.slice(2) ? now.slice(2) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

/** A name as git writes it: in quotes and with escapes, if it has special characters. */
function unquoted(name: string): string | undefined {
  if (!name.startsWith('"')) return name;
  const quoted = /^"((?:[^"\\]|\\[0-7]{3}|\\[^0-7])*)"$/.exec(name)?.[1];
  return quoted?.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? ""),
  );
}
