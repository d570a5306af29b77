import { ASKS, type AskCategory } from "../../machines/message/asks.ts";
import type { OpenAsk } from "../../machines/task/task.context.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EmitEvent } from "./events.ts";

export type TaskStatus = "running" | "interactive" | "resumable" | "idle";

const STATUSES = {
  interactive: { status: "interactive", type: "taskInteractive" },
  resumable: { status: "resumable", type: "taskResumable" },
  idle: { status: "idle", type: "taskIdle" },
  nonBlocking: undefined,
} as const satisfies Record<AskCategory, { readonly status: TaskStatus; readonly type: string } | undefined>;

/** Emits the status of an ask after it has been open for the status delay. Closing the ask cancels it. */
export class StatusTracker {
  readonly #taskId: string;
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #emit: EmitEvent;
  #askId: number | undefined;
  #status: TaskStatus = "running";
  #stop: () => void = () => undefined;

  constructor(taskId: string, clock: Clock, delayMs: number, emit: EmitEvent) {
    this.#taskId = taskId;
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#emit = emit;
  }

  get status(): TaskStatus {
    return this.#status;
  }

  /** Update the open ask. */
  update(ask: OpenAsk | undefined): void {
    if (ask?.id === this.#askId) return;
    this.#stop();
    this.#askId = ask?.id;
    if (ask !== undefined) this.#enter(ask);
  }

  /** Set the status to running; returns whether another status was emitted before. */
  becomeActive(): boolean {
    const wasEmitted = this.#status !== "running";
    this.#status = "running";
    return wasEmitted;
  }

  end(): void {
    this.#stop();
    this.#askId = undefined;
  }

  #enter({ id: askId, ask }: OpenAsk): void {
    const status = STATUSES[ASKS[ask].category];
    if (status === undefined) return;
    this.#stop = this.#clock.after(this.#delayMs, () => {
      this.#status = status.status;
      this.#emit({ type: status.type, taskId: this.#taskId, askId, ask });
    });
  }
}
