/** Cut `text` to its first `maxBytes` bytes of UTF-8, with a mark. */
export function cutEnd(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = characterBoundaryBefore(bytes, maxBytes);
  return `${bytes.toString("utf8", 0, kept)}[... ${bytes.length - kept} bytes cut]`;
}

/** Cut the middle of `text`, with a mark, to about `maxBytes` bytes of UTF-8. */
export function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const head = characterBoundaryBefore(bytes, Math.ceil(maxBytes / 2));
  const tail = characterBoundaryAfter(bytes, bytes.length - Math.floor(maxBytes / 2));
  return `${bytes.toString("utf8", 0, head)}\n[... ${tail - head} bytes cut ...]\n${bytes.toString("utf8", tail)}`;
}

/** A part of a text. Characters are UTF-16 units; `end` is not between the halves of one. */
export function textPart(
  text: string,
  offset: number,
  limit: number,
): { readonly text: string; readonly end: number } {
  const end = partEnd(text, offset, limit);
  return { text: text.slice(offset, end), end };
}

function partEnd(text: string, offset: number, limit: number): number {
  const end = Math.min(text.length, offset + limit);
  if ((text.codePointAt(end - 1) ?? 0) <= 0xffff) return end;
  return end - 1 > offset ? end - 1 : end + 1;
}

/** The last character boundary at or before byte `at`. */
export function characterBoundaryBefore(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return end;
}

/** The first character boundary at or after byte `at`. */
export function characterBoundaryAfter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
