/** Limits of isolated files. A limit that is reached is reported by its name (L14). */
export interface IsolationLimits {
  /** Files that are copied. Default 20,000. */
  readonly maxFiles: number;
  /**
   * Bytes that are copied: of all files without git, of the files that are not committed yet with git. Default 500 MB.
   */
  readonly maxBytes: number;
  /** Files that one merge changes. Default 2,000. */
  readonly maxChanges: number;
  /** Characters of a summary with its diff. Default 20,000. */
  readonly maxReportChars: number;
  /** Bytes of a file whose diff is shown. Default 1 MB. */
  readonly maxDiffBytes: number;
  /** Duration of one git command, in milliseconds. Default 120,000. */
  readonly gitTimeoutMs: number;
}

export const DEFAULT_ISOLATION_LIMITS: IsolationLimits = {
  maxFiles: 20_000,
  maxBytes: 500_000_000,
  maxChanges: 2_000,
  maxReportChars: 20_000,
  maxDiffBytes: 1_000_000,
  gitTimeoutMs: 120_000,
};
