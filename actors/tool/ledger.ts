import type { EffectResult } from "../../machines/task/index.ts";
import { type Clock, waitUntil } from "../protocol/index.ts";

/** How an effect ended, in the words that the model gets. */
export interface CallEnd {
  readonly callId: string;
  readonly content: Exclude<EffectResult["content"], "uncertain">;
  /** It did not do its work. */
  readonly failed: boolean;
  /** Its actor had been stopped before: the task itself did not hear of this end (L10). */
  readonly stopped: boolean;
}

export interface LedgerOptions {
  readonly clock: Clock;
  /** How long the next effect, and the next request, wait for the ends of stopped ones. Default 5 s. */
  readonly quiesceDeadlineMs?: number;
  /** Hears of every end, also after a stop, so that a journal can record it (L12). Must not throw. */
  readonly onEnd?: (end: CallEnd) => void;
  /** How many ends are remembered; one that is forgotten is `uncertain`. Default 256. */
  readonly keptEnds?: number;
}

/** A call was started a second time: its decision was used up (L7, L12). */
export class RepeatedEffectError extends Error {
  /** A tool call was started a second time. Start each call once. */
  readonly code = "EFFECT_REPEATED";
  constructor(callId: string) {
    super(`Call ${callId} was started before: expected each call to be started once. It is not run again.`);
    this.name = "RepeatedEffectError";
  }
}

interface Entry {
  phase: "planned" | "running" | "ended";
  stopped: boolean;
  content: CallEnd["content"];
}

const NOT_BEGUN: CallEnd["content"] = [
  { type: "text", text: "The call was stopped before it began: nothing was done." },
];

/**
 * Knows of one task's calls which run, which were stopped, and how they ended, so that a stop loses nothing:
 * the end of a stopped call is told to whoever asks, and the next effect waits for it (L10, L12).
 */
export class EffectLedger {
  readonly #options: LedgerOptions;
  readonly #deadlineMs: number;
  readonly #calls = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#deadlineMs = options.quiesceDeadlineMs ?? 5_000;
  }

  /** A call may be started. One that never is, did nothing. */
  planned(callId: string): void {
    if (!this.#calls.has(callId)) {
      this.#calls.set(callId, { phase: "planned", stopped: false, content: NOT_BEGUN });
    }
  }

  /** @throws RepeatedEffectError */
  started(callId: string): void {
    const known = this.#calls.get(callId);
    if (known !== undefined && known.phase !== "planned") throw new RepeatedEffectError(callId);
    this.#calls.set(callId, { phase: "running", stopped: false, content: NOT_BEGUN });
  }

  /** Its actor was stopped; what it does goes on until its end. */
  stopped(callId: string): void {
    const entry = this.#calls.get(callId);
    if (entry !== undefined) entry.stopped = true;
  }

  ended({ callId, content, failed }: Omit<CallEnd, "stopped">): void {
    const stopped = this.#calls.get(callId)?.stopped ?? false;
    // Put at the end, so that the oldest ends are forgotten first.
    this.#calls.delete(callId);
    this.#calls.set(callId, { phase: "ended", stopped, content });
    this.#forget();
    for (const listener of [...this.#listeners]) listener();
    this.#options.onEnd?.({ callId, content, failed, stopped });
  }

  /**
   * What stopped calls came to. Waits for those that still run, at most `deadlineMs`; then, and where a call
   * is not known here, it is `uncertain`.
   */
  async endsOf(callIds: readonly string[], deadlineMs = this.#deadlineMs): Promise<readonly EffectResult[]> {
    await this.#until(
      () => callIds.every((callId) => this.#calls.get(callId)?.phase !== "running"),
      deadlineMs,
    );
    return callIds.map((callId) => {
      const entry = this.#calls.get(callId);
      const isKnown = entry !== undefined && entry.phase !== "running";
      return { callId, content: isKnown ? entry.content : "uncertain" };
    });
  }

  /** Resolves when no stopped call still runs, or after `deadlineMs`. */
  quiet(deadlineMs = this.#deadlineMs): Promise<void> {
    return this.#until(() => {
      for (const { phase, stopped } of this.#calls.values()) if (phase === "running" && stopped) return false;
      return true;
    }, deadlineMs);
  }

  #until(holds: () => boolean, deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (holds()) return resolve();
      const { clock } = this.#options;
      const finish = (): void => {
        cancel();
        this.#listeners.delete(listener);
        resolve();
      };
      const listener = (): void => {
        if (holds()) finish();
      };
      const cancel = waitUntil(clock, clock.now() + deadlineMs, finish);
      this.#listeners.add(listener);
    });
  }

  #forget(): void {
    let over = this.#calls.size - (this.#options.keptEnds ?? 256);
    for (const [callId, { phase }] of this.#calls) {
      if (over <= 0) return;
      if (phase === "running") continue;
      this.#calls.delete(callId);
      over -= 1;
    }
  }
}
