/** What one checkpoint may cost. Reaching a limit is told by its name; nothing is left out in silence (L14). */
export interface CheckpointLimits {
  /** The most files of a workspace. With more there is no checkpoint. Default 20,000. */
  readonly maxFiles: number;
  /** The most bytes of all files together. With more there is no checkpoint. Default 1 GB. */
  readonly maxTotalBytes: number;
  /** A larger file is left out and named; a restore leaves it as it is. Default 20 MB. */
  readonly maxFileBytes: number;
  /** The most bytes that the kept checkpoints of a workspace take on disk. Default 5 GB. */
  readonly maxStoreBytes: number;
  /** How long a checkpoint, or the plan of a restore, may take, in milliseconds. Default 15,000. */
  readonly timeoutMs: number;
  /** The most bytes of a diff's text; what is cut is marked. Default 200,000. */
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
