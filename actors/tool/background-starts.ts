import type { ActorInputs } from "../../machines/task/index.ts";
import type { Expiry } from "../ask/index.ts";

type Expire = (by: Omit<Expiry, "afterMs">) => void;

/** Commands that go to the background because their calls say so: the asks about their output expire with `yes`. */
export class BackgroundStarts {
  readonly #open = new Map<string, Expire>();

  /** An ask opened. Returns what ends it. */
  watch({ ask, callId, accepts }: ActorInputs["ask"], expire: Expire): () => void {
    if (ask !== "command_output" || callId === undefined || !accepts.includes("yes")) return () => {};
    this.#open.set(callId, expire);
    return () => this.#open.delete(callId);
  }

  /** Let the command of a call continue in the background, if it is in the foreground. */
  continue(callId: string): void {
    this.#open.get(callId)?.({ answer: { kind: "yes" }, rule: "argument background" });
  }
}
