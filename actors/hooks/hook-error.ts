import { SignalboxError } from "../../machines/signalbox-error.ts";

/** A hook failed at rest, where it decides nothing. `onError` of the host gets it. */
export class HookError extends SignalboxError {
  /** A hook at `onRest` failed or decided something; the task is not affected. Fix the hook. */
  readonly code = "HOOK_FAILED";
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "HookError";
  }
}
