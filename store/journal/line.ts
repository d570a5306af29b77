import { crc32 } from "node:zlib";
import type { JournalDraft } from "../../wire/index.ts";

const OPENING = '{"crc":"';
const CHECKSUM_LENGTH = 8;
const CLOSING = '",';
const PREFIX_LENGTH = OPENING.length + CHECKSUM_LENGTH + CLOSING.length;

/**
 * A record as one line of JSON whose first field is the CRC-32 of all that follows it, in hexadecimal.
 * The line is whole exactly when the checksum fits, whatever a crash left of it.
 */
export function encodeLine(record: JournalDraft): string {
  const body = JSON.stringify(record).slice(1);
  return `${OPENING}${crc32(body).toString(16).padStart(CHECKSUM_LENGTH, "0")}${CLOSING}${body}`;
}

/** The JSON of a line, or why it isn't whole. */
export type DecodedLine =
  | { readonly whole: true; readonly json: unknown }
  | { readonly whole: false; readonly reason: string };

const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });
const LATIN_1 = new TextDecoder("latin1");

/** Decode one line without its newline. The schema says whether it is a record. */
export function decodeLine(line: Uint8Array): DecodedLine {
  const checksum = checksumOf(line);
  if (checksum === undefined) return { whole: false, reason: "it does not begin with a checksum" };
  if (crc32(line.subarray(PREFIX_LENGTH)) !== checksum)
    return { whole: false, reason: "its checksum does not fit" };
  try {
    return { whole: true, json: JSON.parse(UTF_8.decode(line)) };
  } catch (error) {
    return { whole: false, reason: `it is not JSON (${String(error)})` };
  }
}

const CHECKSUM = /^[0-9a-f]{8}$/;

function checksumOf(line: Uint8Array): number | undefined {
  const prefix = LATIN_1.decode(line.subarray(0, PREFIX_LENGTH));
  const digits = prefix.slice(OPENING.length, -CLOSING.length);
  if (!prefix.startsWith(OPENING) || !prefix.endsWith(CLOSING) || !CHECKSUM.test(digits)) return undefined;
  return Number.parseInt(digits, 16);
}
