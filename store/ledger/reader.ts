import { readFile } from "node:fs/promises";
import { ledgerPath } from "../files/ledger-path.ts";
import { systemCode } from "../files/system-code.ts";
import { LineSplitter } from "../journal/line-splitter.ts";
import type { LedgerLine } from "./entry.ts";
import { LedgerError, toLedgerError } from "./error.ts";
import { type DecodedLine, decodeLedgerLine } from "./line.ts";

/** A line of a ledger as read. */
export type NumberedLine = DecodedLine & {
  /** From 1. */
  readonly number: number;
  /** Whether its newline is missing: only of the last line. */
  readonly open: boolean;
};

/**
 * Read the ledger of a workspace. Takes no lock and writes nothing.
 *
 * @throws LedgerError `LEDGER_MISSING`, `LEDGER_IO`
 */
export async function readLedger(workspace: string): Promise<readonly NumberedLine[]> {
  const path = ledgerPath(workspace);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw systemCode(error) === "ENOENT" ? missingError(path) : toLedgerError(path, error);
  });
  return parseLedger(bytes);
}

/** The lines of a workspace that have their own hash. Empty if it has no ledger. @throws LedgerError `LEDGER_IO` */
export async function readLines(workspace: string): Promise<readonly LedgerLine[]> {
  try {
    return (await readLedger(workspace)).flatMap((each) => (each.whole ? [each.line] : []));
  } catch (error) {
    if (error instanceof LedgerError && error.code === "LEDGER_MISSING") return [];
    throw error;
  }
}

/** The lines in the bytes of a ledger. */
export function parseLedger(bytes: Uint8Array): readonly NumberedLine[] {
  const splitter = new LineSplitter();
  const lines = [...splitter.push(bytes)];
  const last = splitter.end();
  if (last !== undefined) lines.push(last);
  return lines.map((line, index) => ({
    ...decodeLedgerLine(line.bytes),
    number: index + 1,
    open: line.open,
  }));
}

const missingError = (path: string): LedgerError =>
  new LedgerError(
    "LEDGER_MISSING",
    `There is no ledger ${path}: nothing is recorded in this workspace. To record what tasks write from now on: mkdir .orchestration (docs/guide/ledger.md)`,
  );
