import { defaultsOf, type LimitTable, type LimitValues } from "../machines/task/limit-table.ts";

/** The limits of an editor, with their defaults. */
export const EDITOR_LIMIT_TABLE = {
  /** Timeout of each read of the editor. */
  timeoutMs: { default: 2_000, unit: "ms" },
  /** Timeout of `save`. */
  saveTimeoutMs: { default: 30_000, unit: "ms" },
  /** Maximum number of open files in the environment. */
  openFiles: { default: 50, unit: "count" },
  /** Maximum number of terminals in the environment. */
  terminals: { default: 10, unit: "count" },
  /** Maximum bytes of the output of one terminal: its end. */
  terminalBytes: { default: 1_000, unit: "bytes" },
  /** Maximum number of diagnostics in the environment: errors first, then warnings. */
  diagnostics: { default: 50, unit: "count" },
  /** Maximum bytes of the git status. */
  gitStatusBytes: { default: 2_000, unit: "bytes" },
} as const satisfies LimitTable;

/** The limits of what a task reads from an editor. */
export type EditorLimits = LimitValues<typeof EDITOR_LIMIT_TABLE>;

/** The limits of an editor by default. */
export const EDITOR_LIMITS: EditorLimits = defaultsOf(EDITOR_LIMIT_TABLE);
