/** The target of a mention. */
export type MentionSubject =
  /** `isQuoted`: it can't be anything but a path. */
  | { readonly kind: "file" | "folder"; readonly path: string; readonly isQuoted: boolean }
  | { readonly kind: "changes" }
  | { readonly kind: "problems" }
  | { readonly kind: "commit"; readonly hash: string };

/** A mention in a text, from `start` to `end` (exclusive). */
export type Mention = MentionSubject & { readonly start: number; readonly end: number };

/** Maximum length of a mentioned path, in characters: a longer one is text. */
const PATH_CHARS = 1_024;

/** A quoted path, or characters up to the next white space; a backslash escapes a space. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\r\n]+)"|(?!")((?:\\ |\S)+))/gu;

/**
 * Finds the mentions in a text, in their order.
 *
 * - A mention begins with `@`: at the beginning of the text, or after white space or `(`. So an e-mail address has none.
 * - `@git-changes`, `@problems`: these words. `@` and 7 to 40 hexadecimal digits: a commit.
 * - `@src/a.ts`: a file. `@src/`, with a slash at the end: a folder. `@a\ b.txt` and `@"a b.txt"`: spaces in a path. A
 *   quoted name is always a path: `@"problems"`.
 * - An unquoted mention ends before white space, and does not include the characters `.,;:!?)` at its end.
 *
 * Whether a file exists decides who attaches it: `@scope/package` is a file here as well.
 */
export function parseMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  for (const { index: start, 0: whole, 1: quoted, 2: bare = "" } of text.matchAll(MENTION)) {
    const name = withoutPunctuation(bare);
    const subject = quoted === undefined ? subjectOf(name) : pathOf(quoted, true);
    if (subject === undefined) continue;
    const length = quoted === undefined ? name.length + 1 : whole.length;
    mentions.push({ ...subject, start, end: start + length });
  }
  return mentions;
}

/** The text with a backslash before each mention that is not in `kept`: it attaches nothing. */
export const withoutMentions = (text: string, kept: ReadonlySet<string> = new Set()): string =>
  parseMentions(text)
    .filter(({ start, end }) => !kept.has(text.slice(start, end)))
    .reduceRight((rest, { start }) => `${rest.slice(0, start)}\\${rest.slice(start)}`, text);

function subjectOf(name: string): MentionSubject | undefined {
  if (name === "git-changes") return { kind: "changes" };
  if (name === "problems") return { kind: "problems" };
  if (/^[0-9a-f]{7,40}$/i.test(name)) return { kind: "commit", hash: name.toLowerCase() };
  return pathOf(name.replaceAll("\\ ", " "), false);
}

function pathOf(path: string, isQuoted: boolean): MentionSubject | undefined {
  if (path.trim() === "" || path.length > PATH_CHARS) return undefined;
  return { kind: path.endsWith("/") ? "folder" : "file", path, isQuoted };
}

/** Not by a regular expression: that needs quadratic time for punctuation that is followed by something else. */
function withoutPunctuation(name: string): string {
  let end = name.length;
  while (end > 0 && ".,;:!?)".includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
