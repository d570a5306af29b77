import { defaultsOf, type LimitTable, type LimitValues } from "../../machines/task/limit-table.ts";

/** The limits of mentions, with their defaults. */
export const MENTION_LIMIT_TABLE = {
  /** Maximum number of mentions. */
  mentions: { default: 20, unit: "count" },
  /** Maximum number of names after an `@` that are looked up in the workspace. */
  lookups: { default: 200, unit: "count" },
  /** Maximum bytes of text of one mention. */
  textBytes: { default: 100_000, unit: "bytes" },
  /** Maximum bytes of text of all. */
  totalTextBytes: { default: 400_000, unit: "bytes" },
  /** Maximum bytes of one image. */
  imageBytes: { default: 3_750_000, unit: "bytes" },
  /** Maximum bytes of all images. */
  totalImageBytes: { default: 7_500_000, unit: "bytes" },
  /** Maximum number of names of a folder. */
  folderNames: { default: 200, unit: "count" },
  /** Timeout of all. */
  timeoutMs: { default: 10_000, unit: "ms" },
} as const satisfies LimitTable;

/** Limits of what the mentions of one request attach. */
export type MentionLimits = LimitValues<typeof MENTION_LIMIT_TABLE>;

export const MENTION_LIMITS: MentionLimits = defaultsOf(MENTION_LIMIT_TABLE);
