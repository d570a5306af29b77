/** Characters that look like an ASCII character, by that character. */
const FOLDED: readonly (readonly [RegExp, string])[] = [
  [/\p{Zs}/gu, " "],
  [/[\u2018\u2019\u201A\u201B\u02BC\u2032]/g, "'"],
  [/[\u201C\u201D\u201E\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/[\u200B-\u200D\u2060\uFEFF]/g, ""],
];

/** A name in which characters that look alike are the same: spaces, quotes, dashes, and composed letters. */
export function foldName(name: string): string {
  if (isAscii(name)) return name;
  return FOLDED.reduce((folded, [pattern, plain]) => folded.replace(pattern, plain), name.normalize("NFC"));
}

/** Whether a text has characters that `foldName` changes. */
export const hasFoldedCharacters = (text: string): boolean => foldName(text) !== text || /\p{M}/u.test(text);

const isAscii = (text: string): boolean => /^[ -~\t\r\n]*$/.test(text);
