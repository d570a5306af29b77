import { crc32 } from "node:zlib";
import type { JournalDraft } from "../../wire/journal/record.ts";

const OPENING = '{"crc":"';
const CHECKSUM_LENGTH = 8;
const CLOSING = '",';
const PREFIX_LENGTH = OPENING.length + CHECKSUM_LENGTH + CLOSING.length;

/**
 * Encode a record as one line of JSON whose first field is the CRC-32 of the rest, in hexadecimal. A line that a crash
 * left incomplete fails its checksum.
 */
export function encodeLine(record: JournalDraft): string {
  const body = JSON.stringify(record).slice(1);
  return `${OPENING}${crc32(body).toString(16).padStart(CHECKSUM_LENGTH, "0")}${CLOSING}${body}`;
}

/** The JSON of a line, or the reason why the line is not whole. */
type DecodedLine =
  | { readonly whole: true; readonly json: unknown }
  | { readonly whole: false; readonly reason: string };

const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });
const LATIN_1 = new TextDecoder("latin1");

/** Decode a line (without its newline) and verify its checksum. The schema decides whether it is a record. */
export function decodeLine(line: Uint8Array): DecodedLine {
  const reason = lineProblem(line);
  if (reason !== undefined) return { whole: false, reason };
  try {
    return { whole: true, json: JSON.parse(UTF_8.decode(line)) };
  } catch (error) {
    return { whole: false, reason: `it is not JSON (${String(error)})` };
  }
}

/** The reason why a line (without its newline) is not whole, by its checksum; undefined for a whole one. */
export function lineProblem(line: Uint8Array): string | undefined {
  const checksum = checksumOf(line);
  if (checksum === undefined) return "it does not begin with a checksum";
  return crc32(line.subarray(PREFIX_LENGTH)) === checksum ? undefined : "its checksum does not match";
}

const CHECKSUM = /^[0-9a-f]{8}$/;

function checksumOf(line: Uint8Array): number | undefined {
  const prefix = LATIN_1.decode(line.subarray(0, PREFIX_LENGTH));
  const digits = prefix.slice(OPENING.length, -CLOSING.length);
  if (!prefix.startsWith(OPENING) || !prefix.endsWith(CLOSING) || !CHECKSUM.test(digits)) return undefined;
  return Number.parseInt(digits, 16);
}
