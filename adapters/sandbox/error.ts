import { SignalboxError } from "../../machines/signalbox-error.ts";

/** Reason why a command can't run in a sandbox. */
export type SandboxErrorCode =
  /** Bubblewrap (on macOS, `sandbox-exec`) is missing, or the system does not let it create namespaces. Install it, or allow them. */
  | "SANDBOX_MISSING"
  /** A path of the sandbox leads through a symbolic link that a command could replace. Name the real path. */
  | "SANDBOX_LINK"
  /** A pattern of the sandbox matches or searches too much, or a folder that can't be read. Name a folder, or a narrower pattern. */
  | "SANDBOX_PATTERN"
  /** A sandbox let a probe do what it must block, blocked what must work, or did not start. Report the probe, or run without a sandbox. */
  | "SANDBOX_PROBE";

/** No command can be run in a sandbox here. The message says why. */
export class SandboxError extends SignalboxError {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;
  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
