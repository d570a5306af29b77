import { createHash } from "node:crypto";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import type { FileHash, LineChange } from "../../machines/tool-call/file-write.ts";
import { systemCode } from "../files/system-code.ts";
import type { LedgerLine } from "./entry.ts";
import { LedgerError, toLedgerError } from "./error.ts";
import { readLedger } from "./reader.ts";

/** The write that a line of a file comes from. */
export interface Blame {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  /** Whether the file is as the ledger last recorded it. If not, the line is one of that content. */
  readonly isCurrent: boolean;
  readonly found: BlamedLine;
}

type BlamedLine =
  /** `number`: of the line in the ledger. */
  | { readonly kind: "write"; readonly number: number; readonly line: LedgerLine }
  /** The line is older than the first write of the file. */
  | { readonly kind: "older" }
  /** The file was changed by others before this line of the ledger, so that its lines are not known. */
  | { readonly kind: "unknown"; readonly number: number }
  /** The ledger has no write of the file. */
  | { readonly kind: "none" };

/** A line of the ledger with its number. */
interface Write {
  readonly number: number;
  readonly line: LedgerLine;
}

/**
 * Find the write that the present line `at` of a file comes from, back through the later writes of the file.
 *
 * @param at from 1
 * @throws LedgerError `LEDGER_MISSING`, `LEDGER_IO`, `LEDGER_LINE`
 */
export async function blameLine(workspace: string, file: string, at: number): Promise<Blame> {
  const root = await realpath(workspace).catch((error: unknown) => {
    throw toLedgerError(workspace, error);
  });
  const named = path.resolve(root, file);
  // A file that was deleted has no real path.
  const absolute = await realpath(named).catch(() => named);
  const name = path.relative(root, absolute).split(path.sep).join("/");
  const writes = (await readLedger(root)).flatMap(({ whole, line, number }): readonly Write[] =>
    whole && line?.path === name ? [{ number, line }] : [],
  );
  // A merge of two ledgers has the lines of two tasks in any order.
  const ordered = writes.toSorted((one, other) => one.line.at - other.line.at || one.number - other.number);
  const present = await readPresent(absolute);
  if (present.lines !== undefined && at > present.lines)
    throw new LedgerError(
      "LEDGER_LINE",
      `${name} has ${present.lines} lines: expected a line from 1 to ${present.lines}, received ${at}.`,
    );
  const isCurrent = present.hash === ordered.at(-1)?.line.after;
  return { path: name, isCurrent, found: originOf(ordered, at) };
}

/** Follow a line back through the writes, the newest first. */
function originOf(writes: readonly Write[], at: number): BlamedLine {
  if (writes.length === 0) return { kind: "none" };
  let current = at;
  for (let index = writes.length - 1; index >= 0; index -= 1) {
    const write = writes[index];
    if (write === undefined) break;
    const { line, number } = write;
    const earlier = line.lines === null ? undefined : lineBefore(line.lines, current);
    if (earlier === undefined) return { kind: "write", number, line };
    current = earlier;
    const previous = writes[index - 1];
    if (previous !== undefined && previous.line.after !== line.before) return { kind: "unknown", number };
  }
  return { kind: "older" };
}

/** The number of a line before a change; undefined if the change wrote it. */
function lineBefore(changes: readonly LineChange[], at: number): number | undefined {
  let shift = 0;
  for (const { before, after } of changes) {
    if (at < after.start) break;
    if (at < after.start + after.count) return undefined;
    shift += before.count - after.count;
  }
  return at + shift;
}

/** The file as it is on disk. */
async function readPresent(absolute: string): Promise<{ readonly hash: FileHash; readonly lines?: number }> {
  try {
    await using handle = await open(absolute, "r");
    const bytes = await handle.readFile();
    const newlines = bytes.reduce((count, byte) => (byte === NEWLINE ? count + 1 : count), 0);
    const lines = newlines + (bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0);
    return { hash: createHash("sha256").update(bytes).digest("hex"), lines };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { hash: null };
    throw toLedgerError(absolute, error);
  }
}

const NEWLINE = 0x0a;
