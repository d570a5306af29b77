const NEWLINE = 0x0a;

/** How many of these bytes are whole lines: up to and including the last newline, or 0. */
export const wholeLines = (bytes: Uint8Array): number => bytes.lastIndexOf(NEWLINE) + 1;

/** The lines of a stream of bytes, without their newlines, and where each begins. Only the last may be `open`. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly at: number; readonly open: boolean }> {
  let pieces: Uint8Array[] = [];
  let at = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      const end = chunk.subarray(from, to);
      const bytes = pieces.length === 0 ? end : Buffer.concat([...pieces, end]);
      pieces = [];
      yield { bytes, at, open: false };
      at += bytes.length + 1;
      from = to + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield { bytes: Buffer.concat(pieces), at, open: true };
}
