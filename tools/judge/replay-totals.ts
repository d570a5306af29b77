import type { ReplayCounts, Replayed, ReplaySummary } from "../../wire/http/permission-replay.ts";
import type { ReplayedCall, UnjudgedCall } from "./replay.ts";

/** Maximum changes that are listed. */
const CHANGES_MAX = 200;
/** Maximum reasons by which the calls are counted that can't be judged again; the others are counted as one. */
const REASONS_MAX = 20;

const NONE: ReplayCounts = {
  askToAllow: 0,
  askToDeny: 0,
  allowToAsk: 0,
  allowToDeny: 0,
  denyToAsk: 0,
  denyToAllow: 0,
};

/** Counts the calls of tasks that were judged again, and lists the first ones whose verdicts change. */
export class ReplayTotals {
  readonly #counts = { permissions: { ...NONE }, settings: { ...NONE } };
  readonly #unjudged = new Map<string, number>();
  readonly #changes: Replayed["changes"] = [];
  #changed = 0;
  #calls = 0;
  #asks = 0;

  add(taskId: string, call: ReplayedCall | UnjudgedCall): void {
    if (call.kind === "unjudged") {
      const reason =
        this.#unjudged.has(call.reason) || this.#unjudged.size < REASONS_MAX ? call.reason : "other reasons";
      this.#unjudged.set(reason, (this.#unjudged.get(reason) ?? 0) + 1);
      return;
    }
    const { kind: _, cause, judges: __, matches: ___, ...change } = call;
    this.#calls += 1;
    if (change.recorded.verdict === "ask") this.#asks += 1;
    if (cause === undefined) return;
    const move = MOVES[change.recorded.verdict][change.now.verdict];
    if (move !== undefined) this.#counts[cause][move] += 1;
    this.#changed += 1;
    if (this.#changes.length < CHANGES_MAX) this.#changes.push({ taskId, ...change, cause });
  }

  get summary(): ReplaySummary {
    const unjudged = [...this.#unjudged].map(([reason, count]) => ({ reason, count }));
    const { permissions, settings } = this.#counts;
    return {
      calls: this.#calls,
      asks: this.#asks,
      permissions: { ...permissions },
      settings: { ...settings },
      unjudged,
    };
  }

  /** The listed changes, and the number of the others. */
  get listed(): Pick<Replayed, "changes" | "more"> {
    return { changes: [...this.#changes], more: this.#changed - this.#changes.length };
  }
}

type Verdict = ReplayedCall["now"]["verdict"];

const MOVES: Readonly<Record<Verdict, Partial<Record<Verdict, keyof ReplayCounts>>>> = {
  ask: { allow: "askToAllow", deny: "askToDeny" },
  allow: { ask: "allowToAsk", deny: "allowToDeny" },
  deny: { ask: "denyToAsk", allow: "denyToAllow" },
};
