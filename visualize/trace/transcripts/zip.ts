import { inflateSync } from "fflate";
import { decompress } from "fzstd";
import type { TranscriptProblem } from "./transcript.ts";

/** A member of a zip file: its name, and where its bytes are. */
interface Member {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  /** The position of its local header. */
  readonly at: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_LENGTH = 22;
const COMMENT_MAX = 65_535;
const UTF_8 = new TextDecoder();

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Read the texts of a zip file whose names `isWanted` accepts: stored, deflated, or compressed by Zstandard (method 93). If
 * the end of the file is missing, the members before the cut are read.
 */
export function readZip(
  bytes: Uint8Array,
  file: string,
  { isWanted, bytesMax }: { readonly isWanted: (name: string) => boolean; readonly bytesMax: number },
): { readonly texts: ReadonlyMap<string, string>; readonly problems: readonly TranscriptProblem[] } {
  const view = viewOf(bytes);
  const listed = centralMembers(view);
  const problems: TranscriptProblem[] = [];
  if (listed === undefined)
    problems.push({
      where: file,
      what: "expected the directory of a zip file at its end; the members before were read",
    });
  const texts = new Map<string, string>();
  let left = bytesMax;
  for (const member of (listed ?? localMembers(view)).filter(({ name }) => isWanted(name))) {
    try {
      left -= member.size;
      if (left < 0) throw new RangeError(`expected at most ${bytesMax} bytes in all members`);
      texts.set(member.name, UTF_8.decode(unpack(bytes, member)));
    } catch (error) {
      problems.push({
        where: `${file}, ${member.name}`,
        what: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return { texts, problems };
}

/** The members by the directory at the end; undefined if there is none. */
function centralMembers(view: DataView): readonly Member[] | undefined {
  const first = Math.max(0, view.byteLength - END_LENGTH - COMMENT_MAX);
  for (let at = view.byteLength - END_LENGTH; at >= first; at -= 1)
    if (view.getUint32(at, true) === END) return membersFrom(view, view.getUint32(at + 16, true), CENTRAL);
  return undefined;
}

/** The members by their own headers, up to the first that is cut or has no size. */
const localMembers = (view: DataView): readonly Member[] => membersFrom(view, 0, LOCAL);

function membersFrom(view: DataView, start: number, kind: typeof CENTRAL | typeof LOCAL): readonly Member[] {
  const members: Member[] = [];
  const length = kind === CENTRAL ? 46 : 30;
  const shift = kind === CENTRAL ? 10 : 8;
  let at = start;
  while (at + length <= view.byteLength && view.getUint32(at, true) === kind) {
    const method = view.getUint16(at + shift, true);
    const packed = view.getUint32(at + shift + 10, true);
    const size = view.getUint32(at + shift + 14, true);
    const nameLength = view.getUint16(at + shift + 18, true);
    const extra = view.getUint16(at + shift + 20, true);
    if (at + length + nameLength > view.byteLength) break;
    const name = UTF_8.decode(new Uint8Array(view.buffer, view.byteOffset + at + length, nameLength));
    const comment = kind === CENTRAL ? view.getUint16(at + 32, true) : 0;
    members.push({ name, method, packed, size, at: kind === CENTRAL ? view.getUint32(at + 42, true) : at });
    at += length + nameLength + extra + comment + (kind === LOCAL ? packed : 0);
  }
  return members.filter((member) => kind === CENTRAL || member.at + member.packed <= view.byteLength);
}

const LOCAL_LENGTH = 30;
const DEFLATE = 8;
const ZSTANDARD = 93;
/** A size that a larger format (zip64) has elsewhere. */
const ELSEWHERE = 0xffff_ffff;

/** The bytes of a member. At most as many are unpacked as the directory says. */
function unpack(bytes: Uint8Array, { method, packed, size, at }: Member): Uint8Array {
  if (packed === ELSEWHERE || size === ELSEWHERE)
    throw new RangeError("expected a member below 4 GiB (no zip64)");
  const view = viewOf(bytes);
  const from = at + LOCAL_LENGTH + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const data = bytes.subarray(from, from + packed);
  if (data.length < packed) throw new RangeError("the member is incomplete");
  if (method === 0) return data;
  if (method === DEFLATE) return inflateSync(data, { out: new Uint8Array(size) });
  if (method === ZSTANDARD) return decompress(data, new Uint8Array(size));
  throw new RangeError(`expected a stored, deflated or Zstandard member, got compression method ${method}`);
}
