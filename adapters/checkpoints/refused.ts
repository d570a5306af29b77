/**
 * Why there is no checkpoint, no diff or no restore: a limit (`files`, `bytes`, `store`, `time`), a stop, a
 * checkpoint that isn't there (`unknown`), files that changed meanwhile (`changed`), a git that failed (`git`),
 * or a disk that did (`disk`).
 */
export type RefusedCode =
  | "files"
  | "bytes"
  | "store"
  | "time"
  | "stopped"
  | "unknown"
  | "changed"
  | "git"
  | "disk";

/** What could not be done, with the reason in words for a person. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusedCode;
  readonly reason: string;
}

/** Leads out of the middle of a checkpoint. It never leaves this folder: the doors give a {@link Refused}. */
export class Refusal extends Error {
  readonly refused: Refused;

  constructor(code: RefusedCode, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "Refusal";
    this.refused = { ok: false, code, reason };
  }
}

/** The system's name of an error (`ENOENT`), or "". */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** What was thrown, as a value. What is no failure of the system is a defect, and goes on as it is. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refusal) return error.refused;
  if (!(error instanceof Error) || systemCode(error) === "") throw error;
  return {
    ok: false,
    code: "disk",
    reason: `a file could not be read or written (${error.message}). Check the disk and the rights.`,
  };
}
