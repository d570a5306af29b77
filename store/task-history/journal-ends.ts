import { type JournalHead, parseHead } from "./head.ts";
import { isComplete, type JournalEnd, parseEnd } from "./tail.ts";

/** Both ends of a journal; without its tail if the header is invalid. */
export type JournalEnds = (ValidHead & { readonly end: JournalEnd }) | Exclude<JournalHead, ValidHead>;
type ValidHead = Extract<JournalHead, { readonly prompt: string }>;

/** Consecutive bytes of a journal. */
export interface ByteRange {
  readonly from: number;
  readonly length: number;
}

/** Initial number of bytes to read from each end. */
export const HEAD_BYTES = 4 * 1024;
export const TAIL_BYTES = 8 * 1024;
/** Factor by which each further read of the tail grows. */
const GROWTH = 8;

/** Parse both ends of a journal of `size` bytes, wherever it is stored: each range that is yielded is sent back as its bytes. */
export function* parseEnds(size: number): Generator<ByteRange, JournalEnds, Buffer> {
  const chunk = yield { from: 0, length: Math.min(size, HEAD_BYTES) };
  const isWhole = chunk.length === size;
  const head = parseHead(chunk, isWhole);
  if (head.header === undefined) return head;
  return { ...head, end: isWhole ? parseEnd(chunk) : yield* parseTail(size) };
}

/** Read the tail in growing chunks until it is complete. */
function* parseTail(size: number): Generator<ByteRange, JournalEnd, Buffer> {
  for (let length = TAIL_BYTES; ; length *= GROWTH) {
    const from = Math.max(0, size - length);
    const end = parseEnd(yield { from, length: size - from });
    if (from === 0 || isComplete(end)) return end;
  }
}
