import type { TextEncoding } from "../ports/workspace.ts";

/** Bytes or characters at the start of a file in which a NUL means that it is binary. */
const HEAD = 8_192;

/** The encoding that the byte order mark of a file names; UTF-8 without one. */
export function encodingOf([first, second]: Uint8Array): TextEncoding {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/**
 * Decode a text file: UTF-8, or UTF-16 with a byte order mark. The mark stays in the text. Every file of a user is decoded
 * here, so that one that no reader understands is never taken for another text.
 *
 * @param isCut whether `bytes` are only the start of the file: a character that is cut is dropped
 * @returns undefined for a file that is not text: a NUL at its start, or invalid bytes
 */
export function decodeText(bytes: Uint8Array, isCut = false): string | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === "utf-8" && bytes.subarray(0, HEAD).includes(0)) return undefined;
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return encoding !== "utf-8" && text.slice(0, HEAD).includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The encodings that `decodeText` expects, for an error. */
export const EXPECTED_TEXT = "UTF-8 text, or UTF-16 with a byte order mark";

/** Encode a text file. A text for UTF-16 gets its byte order mark, if it has none. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === "utf-8") return Buffer.from(text);
  const bytes = Buffer.from(BYTE_ORDER_MARK + withoutMark(text).toWellFormed(), "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

const BYTE_ORDER_MARK = "\ufeff";

/** The text after its byte order mark, if it has one. */
export const withoutMark = (text: string): string => text.slice(markOf(text).length);

/** The byte order mark that the text has; else empty. */
export const markOf = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "");

/** Decode bytes to be shown only: invalid ones become U+FFFD. */
export const decodeForDisplay = (bytes: Uint8Array): string =>
  new TextDecoder(encodingOf(bytes)).decode(bytes);
