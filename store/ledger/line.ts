import { createHash } from "node:crypto";
import { type LedgerEntry, type LedgerLine, ledgerLineSchema } from "./entry.ts";

const OPENING = '{"hash":"';
const HASH_LENGTH = 64;
const CLOSING = '",';
const BODY_AT = OPENING.length + HASH_LENGTH + CLOSING.length;

/** A line without its newline, and its hash. */
export interface EncodedLine {
  readonly text: string;
  readonly hash: string;
}

/** Encode an entry as a line whose first field is the SHA-256 of the rest. `previous`: the digest of its task's last line. */
export function encodeEntry(entry: LedgerEntry, previous: string | null): EncodedLine {
  const { task, sequence, part, at, intent, tool, path, before, after, lines, revision, branch } = entry;
  const { model, merged } = entry;
  const where = { previous, task, sequence, part, at };
  const fields = { intent, tool, path, before, after, lines, revision, branch, model, merged };
  const body = JSON.stringify({ ...where, ...fields }).slice(1);
  const hash = hashOf(body);
  return { text: `${OPENING}${hash}${CLOSING}${body}`, hash };
}

/** A line as read. One that is not whole may still say which task it claims to be of. */
export type DecodedLine =
  | { readonly whole: true; readonly line: LedgerLine }
  | { readonly whole: false; readonly reason: string; readonly line?: LedgerLine };

/** Decode a line (without its newline) and verify its hash. */
export function decodeLedgerLine(bytes: Uint8Array): DecodedLine {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const line = lineIn(text);
  if (line === undefined) return { whole: false, reason: "it is not a line of a ledger" };
  const body = bytes.subarray(BODY_AT);
  if (text.startsWith(`${OPENING}${line.hash}${CLOSING}`) && hashOf(body) === line.hash)
    return { whole: true, line };
  return { whole: false, reason: "its content does not match its hash", line };
}

function lineIn(text: string): LedgerLine | undefined {
  try {
    return ledgerLineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // Not JSON: the caller reports the line.
    return undefined;
  }
}

const hashOf = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex");
