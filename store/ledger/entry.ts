import { z } from "zod";
import type { FileHash, LineChange } from "../../machines/tool-call/file-write.ts";

/** Where a write is in its task: the number of its record, and its number among the files of that record, from 1. */
export interface LedgerPosition {
  /** Number of the record in the journal of the task (docs/internals/journal.md). */
  readonly sequence: number;
  /** Number of the file in that record, from 1. */
  readonly part: number;
}

/** A change of a file in a worktree or copy that no call recorded. */
export interface UnrecordedChange {
  /** SHA-256 of the last content that is known before it. Null: no file. */
  readonly before: FileHash;
  /** SHA-256 of the content that it led to. */
  readonly after: FileHash;
  /** The ranges that were replaced. Null: they are not known. */
  readonly lines: readonly LineChange[] | null;
}

/** A tool call that started, and whose process ended before it. */
export interface InterruptedCall {
  readonly task: string;
  /** Number of the record of its start in the journal of the task. */
  readonly sequence: number;
  /** The canonical name of the tool. */
  readonly tool: string;
  /** The model of the request: `provider/id`. */
  readonly model: string | null;
}

/** The content that a merge took from the worktree or the copy of a task. */
export interface MergedContent {
  /** SHA-256 of the file there. Null: it was deleted. */
  readonly content: FileHash;
  /** The ranges in which the merged file differs from it. Null: the file is no text. */
  readonly lines: readonly LineChange[] | null;
  /** Ids of the tasks whose writes of the file are in the ledger before this line. */
  readonly tasks: readonly string[];
  /** Id of the task that merged it. Null: a person. */
  readonly by: string | null;
  /** The changes of the file there that no call recorded, in order. Absent: none. */
  readonly unrecorded?: readonly UnrecordedChange[];
  /** The calls there that were interrupted: each may have made the changes without a record. Absent: none. */
  readonly interrupted?: readonly InterruptedCall[];
}

/** A committed write of one file, or its merge: a line of the ledger without its hashes. */
export interface LedgerEntry extends LedgerPosition {
  /** Id of the task. */
  readonly task: string;
  /** Time of the record in the journal, in milliseconds since 1970. */
  readonly at: number;
  /** The intent that the task worked for, or null. */
  readonly intent: string | null;
  /** The canonical name of the tool; `merge` for a merge of the files of `task`. */
  readonly tool: string;
  /** Path of the file, relative to the workspace, with forward slashes, symlinks followed. */
  readonly path: string;
  /**
   * SHA-256 of the file before. Null: no file. `unknown`: too large, not readable, or a symlink that a command changed.
   */
  readonly before: FileHash;
  /** SHA-256 of the file after. Null and `unknown` as for `before`. */
  readonly after: FileHash;
  /** The ranges that were replaced, before and after, as first line and count. Null: the file is no text. */
  readonly lines: readonly LineChange[] | null;
  /** The commit that git had checked out, or null. */
  readonly revision: string | null;
  /** The branch that git had checked out, or null. */
  readonly branch: string | null;
  /** The model of the request: `provider/id`. */
  readonly model: string | null;
  /**
   * Only of a merge: the content in the worktree, how the file differs from it, who wrote it there, and who merged.
   */
  readonly merged?: MergedContent;
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
const lineChanges = z.array(z.strictObject({ before: range, after: range })).nullable();

const mergedSchema = z.strictObject({
  content: text,
  lines: lineChanges,
  tasks: z.array(z.string()),
  by: text,
  unrecorded: z.array(z.strictObject({ before: text, after: text, lines: lineChanges })).exactOptional(),
  interrupted: z
    .array(z.strictObject({ task: z.string(), sequence: count, tool: z.string(), model: text }))
    .exactOptional(),
}) satisfies z.ZodType<MergedContent>;

export const ledgerEntrySchema = z.strictObject({
  task: z.string(),
  sequence: count,
  part: z.int().positive(),
  at: z.number(),
  intent: text,
  tool: z.string(),
  path: z.string(),
  before: text,
  after: text,
  lines: lineChanges,
  revision: text,
  branch: text,
  model: text,
  merged: mergedSchema.exactOptional(),
}) satisfies z.ZodType<LedgerEntry>;

export const ledgerLineSchema = ledgerEntrySchema.extend({
  hash: z.string(),
  previous: text,
}) satisfies z.ZodType<LedgerLine>;

/** Negative if `one` is before `other`, 0 if both are the same. */
export const comparePositions = (one: LedgerPosition, other: LedgerPosition): number =>
  one.sequence - other.sequence || one.part - other.part;
