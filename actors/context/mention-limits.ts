/** Limits of what the mentions of one request attach. */
export interface MentionLimits {
  /** Maximum number of mentions. Default 20. */
  readonly mentions: number;
  /** Maximum number of names after an `@` that are looked up in the workspace. Default 200. */
  readonly lookups: number;
  /** Maximum bytes of text of one mention. Default 100,000. */
  readonly textBytes: number;
  /** Maximum bytes of text of all. Default 400,000. */
  readonly totalTextBytes: number;
  /** Maximum bytes of one image. Default 3,750,000. */
  readonly imageBytes: number;
  /** Maximum bytes of all images. Default 7,500,000. */
  readonly totalImageBytes: number;
  /** Maximum number of names of a folder. Default 200. */
  readonly folderNames: number;
  /** Timeout of all, in milliseconds. Default 10,000. */
  readonly timeoutMs: number;
}

export const MENTION_LIMITS: MentionLimits = {
  mentions: 20,
  lookups: 200,
  textBytes: 100_000,
  totalTextBytes: 400_000,
  imageBytes: 3_750_000,
  totalImageBytes: 7_500_000,
  folderNames: 200,
  timeoutMs: 10_000,
};
