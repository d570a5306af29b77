import { z } from "zod";
import type { FileHash, LineChange } from "../../machines/tool-call/file-write.ts";

/** Where a write is in its task: the number of its record, and its number among the files of that record, from 1. */
export interface LedgerPosition {
  readonly sequence: number;
  readonly part: number;
}

/** A committed write of one file: a line of the ledger without its hashes. */
export interface LedgerEntry extends LedgerPosition {
  readonly task: string;
  /** Time of its record, in milliseconds since 1970. */
  readonly at: number;
  /** The intent that the task worked for. */
  readonly intent: string | null;
  /** The canonical name. */
  readonly tool: string;
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly before: FileHash;
  readonly after: FileHash;
  /** The lines that were replaced. Null: the file is no text. */
  readonly lines: readonly LineChange[] | null;
  /** The commit and the branch that git had checked out. */
  readonly revision: string | null;
  readonly branch: string | null;
  /** The model of the request: `provider/id`. */
  readonly model: string | null;
}

/** A line of the ledger. */
export interface LedgerLine extends LedgerEntry {
  /** SHA-256 of the rest of the line, in hexadecimal. */
  readonly hash: string;
  /** Hash of the line before it of the same task. */
  readonly previous: string | null;
}

const text = z.string().nullable();
const count = z.int().nonnegative();
const range = z.strictObject({ start: z.int().positive(), count });

export const ledgerLineSchema = z.strictObject({
  hash: z.string(),
  previous: text,
  task: z.string(),
  sequence: count,
  part: z.int().positive(),
  at: z.number(),
  intent: text,
  tool: z.string(),
  path: z.string(),
  before: text,
  after: text,
  lines: z.array(z.strictObject({ before: range, after: range })).nullable(),
  revision: text,
  branch: text,
  model: text,
}) satisfies z.ZodType<LedgerLine>;

/** Negative if `one` is before `other`, 0 if both are the same. */
export const comparePositions = (one: LedgerPosition, other: LedgerPosition): number =>
  one.sequence - other.sequence || one.part - other.part;
