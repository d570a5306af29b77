import type { Random } from "../../../verify/simulation/random.ts";

/** Returns changed bytes. */
export type ByteMutation = (bytes: Buffer, random: Random) => Buffer;

const position = (bytes: Buffer, random: Random): number => random.below(bytes.length + 1);

/** A position within a character of several bytes, if there is one. */
function withinCharacter(bytes: Buffer, random: Random): number {
  const from = position(bytes, random);
  const found = bytes.subarray(from).findIndex((byte) => (byte & 0xc0) === 0x80);
  return found < 0 ? from : from + found;
}

const without = (bytes: Buffer, from: number, length: number): Buffer =>
  Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);

const inserted = (bytes: Buffer, at: number, more: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

const randomBytes = (random: Random): Buffer =>
  Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)));

/** Line ends, fields and marks of an event stream. */
const SYNTAX = [
  "\n",
  "\n\n",
  "\r",
  "\r\n\r\n",
  "data:",
  "data: {}\n\n",
  "event: error\n",
  ": comment\n",
  "\ufeff",
  "id: 1\n",
];

/** The ways to change the bytes of a response, by name. */
export const BYTE_MUTATIONS = {
  cut: (bytes, random) => bytes.subarray(0, position(bytes, random)),
  "cut within a character": (bytes, random) => bytes.subarray(0, withinCharacter(bytes, random)),
  "flip bits": (bytes, random) => {
    const changed = Buffer.from(bytes);
    const index = position(bytes, random);
    const byte = changed[index];
    if (byte !== undefined) changed[index] = byte ^ (1 << random.below(8));
    return changed;
  },
  "delete bytes": (bytes, random) => without(bytes, position(bytes, random), 1 + random.below(30)),
  "delete a byte of a character": (bytes, random) => without(bytes, withinCharacter(bytes, random), 1),
  "double bytes": (bytes, random) => {
    const from = position(bytes, random);
    return inserted(bytes, from, bytes.subarray(from, from + 1 + random.below(60)));
  },
  "insert bytes": (bytes, random) => inserted(bytes, position(bytes, random), randomBytes(random)),
  "insert syntax": (bytes, random) =>
    inserted(bytes, position(bytes, random), Buffer.from(random.pick(SYNTAX) ?? "")),
  "other line ends": (bytes, random) =>
    Buffer.from(bytes.toString("latin1").replaceAll("\n", random.chance(0.5) ? "\r\n" : "\r"), "latin1"),
} as const satisfies Record<string, ByteMutation>;
