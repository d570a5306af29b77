/** The first `maxBytes` bytes of `text` as UTF-8, with a mark where it was cut. */
export function cutEnd(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = wholeEnd(bytes, maxBytes);
  return `${bytes.toString("utf8", 0, kept)}[... ${bytes.length - kept} bytes cut]`;
}

/** The head and the tail of `text`, about `maxBytes` bytes of UTF-8 in all, with a mark between them. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = wholeEnd(bytes, Math.ceil(maxBytes / 2));
  const tail = wholeStart(bytes, bytes.length - Math.floor(maxBytes / 2));
  return `${bytes.toString("utf8", 0, head)}\n[... ${tail - head} bytes cut ...]\n${bytes.toString("utf8", tail)}`;
}

/** The last place at or before `at` where no character is split. */
export function wholeEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return end;
}

/** The first place at or after `at` where no character is split. */
export function wholeStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Text of a file, or undefined where it is none: a NUL in the first 8 KB, or not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8 is an answer here: the decoder knows no other way to give it.
    return undefined;
  }
}
