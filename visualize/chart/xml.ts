const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML can't contain, not even escaped: control characters and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Replace the characters that XML can't contain by U+FFFD. */
export const withoutForbidden = (text: string): string => text.replace(FORBIDDEN, "\ufffd");

/** Escape a text for XML and HTML, also in attributes. */
export const escapeXml = (text: string): string =>
  withoutForbidden(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
