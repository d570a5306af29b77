/**
 * Each error that this package throws on purpose: its message says what was expected, what came and what to do, and its `code`
 * is for programs. `docs/reference/errors.md` lists the codes.
 *
 * @example
 * ```ts
 * import { createHost, SignalboxError } from "signalbox";
 * const host = createHost({ dataDir: "./tasks" });
 * try {
 *   await host.open("gone", { model: "anthropic/claude-sonnet-4-6" });
 * } catch (error) {
 *   if (!(error instanceof SignalboxError)) throw error;
 *   console.log(error.code); // TASK_UNKNOWN
 * }
 * ```
 */
export abstract class SignalboxError extends Error {
  abstract readonly code: string;
}
