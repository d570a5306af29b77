/** A path that a call names, as it really is. */
export interface NamedPath {
  /** As the call gives it, relative to the workspace where it can be. */
  readonly path: string;
  /** With every symlink followed. */
  readonly real: string;
  readonly inside: boolean;
  /** Closed by an ignore file. */
  readonly ignored: boolean;
}
