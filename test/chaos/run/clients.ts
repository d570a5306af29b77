import { z } from "zod";
import { Follower, type SeenEvent, type StreamSource } from "./follower.ts";

const Event = z.object({
  record: z.object({
    calls: z
      .array(
        z.object({
          phase: z.string(),
          ask: z.string(),
          row: z.number().optional(),
          childId: z.string().optional(),
        }),
      )
      .default([]),
  }),
});

export interface ClientsOptions {
  readonly servers: readonly StreamSource[];
  readonly onEvent: (event: SeenEvent) => void;
  /** Called once for each question. */
  readonly onQuestion: (task: string, askId: number) => void;
}

/** A client for each task, and for each subtask that one of them sees. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #followers = new Map<string, Follower>();
  readonly #questions = new Set<string>();

  constructor(tasks: readonly string[], options: ClientsOptions) {
    this.#options = options;
    for (const task of tasks) this.#follow(task);
  }

  /** The tasks and subtasks that are followed. */
  get tasks(): readonly string[] {
    return [...this.#followers.keys()];
  }

  get connections(): number {
    return [...this.#followers.values()].reduce((sum, { connections }) => sum + connections, 0);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#followers.values()].map((follower) => follower.stop()));
  }

  #follow(task: string): void {
    if (this.#followers.has(task)) return;
    const follower = new Follower(task, this.#options.servers, (event) => this.#take(event));
    this.#followers.set(task, follower);
  }

  #take(event: SeenEvent): void {
    this.#options.onEvent(event);
    for (const { phase, ask, row, childId } of Event.parse(event.data).record.calls) {
      if (childId !== undefined) this.#follow(childId);
      if (phase === "asking" && ask === "followup" && row !== undefined) this.#ask(event.task, row);
    }
  }

  #ask(task: string, askId: number): void {
    const key = `${task} ${askId}`;
    if (this.#questions.has(key)) return;
    this.#questions.add(key);
    this.#options.onQuestion(task, askId);
  }
}
