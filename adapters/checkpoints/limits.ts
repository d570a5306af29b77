/** Limits of one checkpoint. A limit that is reached is reported by its name (L14). */
export interface CheckpointLimits {
  /** Files of a workspace. With more there is no checkpoint. Default 20,000. */
  readonly maxFiles: number;
  /** Bytes of all files together. With more there is no checkpoint. Default 1 GB. */
  readonly maxTotalBytes: number;
  /** Bytes of one file. A larger file is left out and named; a restore leaves it unchanged. Default 20 MB. */
  readonly maxFileBytes: number;
  /** Bytes of a workspace's checkpoints on disk. With more there is no checkpoint. Default 5 GB. */
  readonly maxStoreBytes: number;
  /**
   * Duration of a checkpoint, or of planning a restore, in milliseconds. A longer one is given up; after two in a row the
   * task has no further checkpoints. Default 15,000.
   */
  readonly timeoutMs: number;
  /** Bytes of a diff's text, which is cut with a mark. Default 200,000. */
  readonly maxDiffBytes: number;
}

export const DEFAULT_CHECKPOINT_LIMITS: CheckpointLimits = {
  maxFiles: 20_000,
  maxTotalBytes: 1_000_000_000,
  maxFileBytes: 20_000_000,
  maxStoreBytes: 5_000_000_000,
  timeoutMs: 15_000,
  maxDiffBytes: 200_000,
};

/**
 * Large limits: the user waits and can interrupt, and a workspace or store that an agent has filled must not prevent a
 * restore.
 */
export const RESTORE_LIMITS = {
  timeoutMs: 600_000,
  maxFiles: 1_000_000,
  maxTotalBytes: 1_000_000_000_000,
  maxStoreBytes: 1_000_000_000_000,
};
