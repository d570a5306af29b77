import type { ActorInputs } from "../../machines/task/index.ts";
import type { Expiry } from "../ask/index.ts";

/** The completions of a subtask that a policy allows. Their asks expire at once with `yes`. */
export class AllowedCompletions {
  readonly #rules = new Map<string, string>();

  allow(callId: string, rule: string): void {
    this.#rules.set(callId, rule);
  }

  /** The expiry of an allowed completion's ask; once per completion. */
  expiry({ ask, callId, accepts }: ActorInputs["ask"]): Expiry | undefined {
    if (ask !== "completion_result" || callId === undefined || !accepts.includes("yes")) return undefined;
    const rule = this.#rules.get(callId);
    // Other allowed completions were skipped or rejected, and get no ask.
    this.#rules.clear();
    return rule === undefined ? undefined : { afterMs: 0, answer: { kind: "yes" }, rule };
  }
}
