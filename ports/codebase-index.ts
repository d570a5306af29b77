/** A part of a file that an index found. */
export interface CodebaseMatch {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** Counted from 1. */
  readonly startLine: number;
  readonly endLine: number;
  /** From 0 to 1: how well it fits the query. */
  readonly score: number;
  readonly text: string;
}

/** An index that finds code by its meaning. */
export interface CodebaseIndex {
  /**
   * Find code, the best first. Results outside the workspace, and those that `.rooignore` denies, are left out.
   *
   * @param options.path the folder that results must be in, relative to the workspace; undefined: any
   * @param options.signal aborts when the call is stopped, or takes longer than the limit
   */
  search(options: {
    readonly query: string;
    readonly path?: string | undefined;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<readonly CodebaseMatch[]>;
  /** Timeout of a search, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}
