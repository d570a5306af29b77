const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What XML can't hold at all, not even escaped: control characters, and halves of a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Text that can stand anywhere in XML, in an attribute too. */
export const escaped = (text: string): string =>
  text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
