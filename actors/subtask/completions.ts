import type { ActorInputs } from "../../machines/task/index.ts";
import type { Expiry } from "../ask/index.ts";

/** Completions of a subtask that a policy allows: each is accepted in its rule's name as soon as it is asked about. */
export class AllowedCompletions {
  readonly #rules = new Map<string, string>();

  allow(callId: string, rule: string): void {
    this.#rules.set(callId, rule);
  }

  /** How the ask is answered by the rule that allows it: once. */
  expiry({ ask, callId, accepts }: ActorInputs["ask"]): Expiry | undefined {
    if (ask !== "completion_result" || callId === undefined || !accepts.includes("yes")) return undefined;
    const rule = this.#rules.get(callId);
    // What was allowed beside it is skipped or was sent back: it is never asked about.
    this.#rules.clear();
    return rule === undefined ? undefined : { afterMs: 0, answer: { kind: "yes" }, rule };
  }
}
