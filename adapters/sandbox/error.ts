import { SignalboxError } from "../../machines/signalbox-error.ts";

/** No command can be run in a sandbox here. The message says why. */
export class SandboxError extends SignalboxError {
  override readonly name = "SandboxError";
  /** Bubblewrap is not installed, or the system does not let it create namespaces. Install it, or allow them. */
  readonly code = "SANDBOX_MISSING";
}
