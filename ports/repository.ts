/** Limits of one read of a repository. */
export interface RepositoryRead {
  /** Maximum bytes of the result, about: a longer one is cut, with a mark. */
  readonly maxBytes: number;
  /** An abort ends the read. */
  readonly signal: AbortSignal;
}

/** The version control of a workspace: only its files, and none to which the workspace denies access. */
export interface RepositoryPort {
  /** Status and diff of the working tree. @throws ToolError `FAILED` */
  changes(read: RepositoryRead): Promise<string>;
  /** Message and diff of a commit. @throws ToolError `FAILED`, `NOT_FOUND` */
  commit(hash: string, read: RepositoryRead): Promise<string>;
}

/** Reads the problems of the workspace, such as the diagnostics of an editor, as text. */
export type ProblemsPort = () => Promise<string>;
