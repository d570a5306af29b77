import { SignalboxError } from "../../machines/signalbox-error.ts";
import type { EffectResult } from "../../machines/task/task.events.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import type { Clock } from "../../ports/clock.ts";
import { waitUntil } from "../protocol/wait-until.ts";

/** A tool call that ended, with the result that the model gets. */
export interface EndedCall {
  readonly callId: string;
  readonly content: Exclude<EffectResult["content"], "uncertain">;
  readonly failed: boolean;
  /** The files that it changed. Absent: none, or the workspace has no ledger. */
  readonly writes?: readonly FileWrite[];
  /** Whether its actor was stopped before, so that the task got no event (L10). */
  readonly stopped: boolean;
}

export interface StartedCallsOptions {
  readonly clock: Clock;
  /** Time that the next effect waits for what was stopped, and the next request for stopped calls, in milliseconds. Default 5,000. */
  readonly quiesceDeadlineMs?: number;
  /** Called for every call that ends, also after a stop, so that it can be recorded (L12). Must not throw. */
  readonly onEnd?: (call: EndedCall) => void;
  /** Maximum number of results that are kept; a dropped one is `uncertain`. Default 256. */
  readonly maxResults?: number;
}

/** A tool call was started a second time, although a decision is for one start (L7, L12). */
export class RepeatedEffectError extends SignalboxError {
  /** A tool call was started a second time. Start each call once. */
  readonly code = "EFFECT_REPEATED";
  constructor(callId: string) {
    super(`Tool call ${callId} was already started: expected one start per call. It is not run again.`);
    this.name = "RepeatedEffectError";
  }
}

interface Entry {
  phase: "planned" | "running" | "ended";
  stopped: boolean;
  content: EndedCall["content"];
}

export const NOT_STARTED = "The call was stopped before it began: nothing was done.";

/** The tool calls of a task that were started: the result of a stopped one is kept, and the next effect waits for its end (L10, L12). */
export class StartedCalls {
  readonly #options: StartedCallsOptions;
  readonly #deadlineMs: number;
  readonly #calls = new Map<string, Entry>();
  /** Work other than calls that was stopped and still runs. */
  readonly #leftover = new Set<Promise<unknown>>();
  #listeners: readonly (() => void)[] = [];

  constructor(options: StartedCallsOptions) {
    this.#options = options;
    this.#deadlineMs = options.quiesceDeadlineMs ?? 5_000;
  }

  /** A call may start. Until then its result is that nothing was done. */
  planned(callId: string): void {
    if (!this.#calls.has(callId)) {
      this.#calls.set(callId, {
        phase: "planned",
        stopped: false,
        content: [{ type: "text", text: NOT_STARTED }],
      });
    }
  }

  /** @throws RepeatedEffectError */
  started(callId: string): void {
    const known = this.#calls.get(callId);
    if (known !== undefined && known.phase !== "planned") throw new RepeatedEffectError(callId);
    this.#calls.set(callId, {
      phase: "running",
      stopped: false,
      content: [{ type: "text", text: NOT_STARTED }],
    });
  }

  /** The actor of a call was stopped, but the call still runs. */
  stopped(callId: string): void {
    const entry = this.#calls.get(callId);
    if (entry !== undefined) entry.stopped = true;
  }

  ended(call: Omit<EndedCall, "stopped">): void {
    const { callId, content } = call;
    const stopped = this.#calls.get(callId)?.stopped ?? false;
    // Re-inserted as the newest, so that the oldest results are dropped first.
    this.#calls.delete(callId);
    this.#calls.set(callId, { phase: "ended", stopped, content });
    this.#dropOldest();
    this.#notify();
    this.#options.onEnd?.({ ...call, stopped });
  }

  /** Work other than a call was stopped: the next effect waits for its end as well. */
  workStopped(work: Promise<unknown>): void {
    this.#leftover.add(work);
    const end = (): void => {
      this.#leftover.delete(work);
      this.#notify();
    };
    work.then(end, end);
  }

  /** The results of stopped calls. Waits at most `deadlineMs` for running ones; an unknown result is `uncertain`. */
  async resultsOf(
    callIds: readonly string[],
    deadlineMs = this.#deadlineMs,
  ): Promise<readonly EffectResult[]> {
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

  /**
   * Resolves when nothing that was stopped runs any more, or after `deadlineMs`. Work other than calls is awaited once:
   * a hook may never end.
   */
  async quiesce(deadlineMs = this.#deadlineMs): Promise<void> {
    await this.#until(() => {
      if (this.#leftover.size > 0) return false;
      for (const { phase, stopped } of this.#calls.values()) if (phase === "running" && stopped) return false;
      return true;
    }, deadlineMs);
    this.#leftover.clear();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #until(holds: () => boolean, deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (holds()) return resolve();
      const { clock } = this.#options;
      const finish = (): void => {
        cancel();
        this.#listeners = this.#listeners.filter((other) => other !== listener);
        resolve();
      };
      const listener = (): void => {
        if (holds()) finish();
      };
      const cancel = waitUntil(clock, clock.now() + deadlineMs, finish);
      this.#listeners = this.#listeners.concat(listener);
    });
  }

  #dropOldest(): void {
    let over = this.#calls.size - (this.#options.maxResults ?? 256);
    for (const [callId, { phase }] of this.#calls) {
      if (over <= 0) return;
      if (phase === "running") continue;
      this.#calls.delete(callId);
      over -= 1;
    }
  }
}
