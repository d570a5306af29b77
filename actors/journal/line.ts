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

/** Reads one line (without its newline). Whether it is a record is for the codec to say. */
export function decodeLine(line: Uint8Array): DecodedLine {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const prefix = text.toString("latin1", 0, PREFIX_LENGTH);
  const checksum = prefix.slice(OPENING.length, -CLOSING.length);
  if (!prefix.startsWith(OPENING) || !prefix.endsWith(CLOSING) || !/^[0-9a-f]{8}$/.test(checksum)) {
    return { whole: false, reason: "it does not begin with a checksum" };
  }
  if (crc32(text.subarray(PREFIX_LENGTH)) !== Number.parseInt(checksum, 16)) {
    return { whole: false, reason: "its checksum does not fit" };
  }
  try {
    return { whole: true, json: JSON.parse(text.toString("utf8")) };
  } catch (error) {
    return { whole: false, reason: `it is not JSON (${String(error)})` };
  }
}
