import { createHash } from "node:crypto";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import type { FileHash } from "../../machines/tool-call/file-write.ts";
import { systemCode } from "../files/system-code.ts";
import { LedgerError, toLedgerError } from "./error.ts";
import { FileHistory, type NumberedWrite, type Origin } from "./file-history.ts";
import { readLedger } from "./reader.ts";

/** The write that a line of a file comes from. */
export interface Blame {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  /** Whether the file is as the ledger last recorded it. If not, the line is one of that content. */
  readonly isCurrent: boolean;
  readonly found: Origin;
  /** The merges through which the line came into the workspace, the last one first. */
  readonly merges: readonly NumberedWrite[];
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
  const lines = (await readLedger(root)).flatMap(({ whole, line, number }): readonly NumberedWrite[] =>
    whole && line !== undefined ? [{ number, line }] : [],
  );
  const history = new FileHistory(lines, name);
  const present = await readPresent(absolute);
  if (present.lines !== undefined && at > present.lines)
    throw new LedgerError(
      "LEDGER_LINE",
      `${name} has ${present.lines} lines: expected a line from 1 to ${present.lines}, received ${at}.`,
    );
  const isCurrent = present.hash === history.newest?.line.after;
  return { path: name, isCurrent, ...history.originOf(at) };
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
