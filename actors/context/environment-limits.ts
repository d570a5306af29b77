import { defaultsOf, type LimitTable, type LimitValues } from "../../machines/task/limit-table.ts";

/** The limits of the environment details, with their defaults. */
export const ENVIRONMENT_LIMIT_TABLE = {
  /** Maximum number of names of files in the workspace; 0 leaves them out. */
  fileNames: { default: 200, unit: "count" },
  /** Maximum number of files that are checked for changes. */
  trackedFiles: { default: 100, unit: "count" },
  /** Maximum number of changed files. */
  changedFiles: { default: 20, unit: "count" },
  /** Timeout of the file listing, and of the check for changed files. */
  listTimeoutMs: { default: 5_000, unit: "ms" },
  /** Maximum number of todo items. */
  todoItems: { default: 100, unit: "count" },
  /** Maximum length of a todo item. */
  todoItemChars: { default: 500, unit: "characters" },
} as const satisfies LimitTable;

/** Limits of the environment details of one request. */
export type EnvironmentLimits = LimitValues<typeof ENVIRONMENT_LIMIT_TABLE>;

export const ENVIRONMENT_LIMITS: EnvironmentLimits = defaultsOf(ENVIRONMENT_LIMIT_TABLE);
