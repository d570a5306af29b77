/** Invisible characters: control, bidirectional, zero-width and tag characters. */
export const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are searched
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\u{e0000}-\u{e007f}]/u;
