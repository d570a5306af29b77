const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/;

/**
 * Split a text into the front matter at its start, without its lines of dashes, and the body. Without front matter all of
 * it is the body. Undefined for front matter without an end.
 */
export function splitFrontMatter(
  text: string,
): { readonly head: string | undefined; readonly body: string } | undefined {
  const [whole, head] = FRONT_MATTER.exec(text) ?? [];
  if (whole !== undefined && head !== undefined) return { head, body: text.slice(whole.length) };
  return OPENING.test(text) ? undefined : { head: undefined, body: text };
}
