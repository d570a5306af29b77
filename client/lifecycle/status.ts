import type { Clock } from "../../actors/index.ts";
import { ASKS, type AskCategory } from "../../machines/message/index.ts";
import type { OpenAsk } from "../../machines/task/index.ts";
import type { Tell } from "./events.ts";

export type TaskStatus = "running" | "interactive" | "resumable" | "idle";

const TOLD = {
  interactive: { status: "interactive", type: "taskInteractive" },
  resumable: { status: "resumable", type: "taskResumable" },
  idle: { status: "idle", type: "taskIdle" },
  nonBlocking: undefined,
} as const satisfies Record<AskCategory, { readonly status: TaskStatus; readonly type: string } | undefined>;

/** Tells the status that an ask means once it has been open for a while. Leaving the ask stops that. */
export class StatusWatch {
  readonly #taskId: string;
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #tell: Tell;
  #askId: number | undefined;
  #status: TaskStatus = "running";
  #stop: () => void = () => undefined;

  constructor(taskId: string, clock: Clock, delayMs: number, tell: Tell) {
    this.#taskId = taskId;
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#tell = tell;
  }

  get status(): TaskStatus {
    return this.#status;
  }

  /** The ask that is open now, if one is. */
  look(ask: OpenAsk | undefined): void {
    if (ask?.id === this.#askId) return;
    this.#stop();
    this.#askId = ask?.id;
    if (ask !== undefined) this.#enter(ask);
  }

  /** It works again. Gives whether another status had been told. */
  becomeActive(): boolean {
    const wasTold = this.#status !== "running";
    this.#status = "running";
    return wasTold;
  }

  end(): void {
    this.#stop();
    this.#askId = undefined;
  }

  #enter({ id: askId, ask }: OpenAsk): void {
    const told = TOLD[ASKS[ask].category];
    if (told === undefined) return;
    this.#stop = this.#clock.after(this.#delayMs, () => {
      this.#status = told.status;
      this.#tell({ type: told.type, taskId: this.#taskId, askId, ask });
    });
  }
}
