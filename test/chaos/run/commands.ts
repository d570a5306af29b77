import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { PostgresWakes } from "../../../cluster/wakes/wakes.ts";
import type { Inbox } from "../../../ports/inbox.ts";
import type { InboxCommandInput } from "../../../wire/inbox.ts";
import type { SeenEvent } from "./follower.ts";

/** A command that the inbox has accepted. */
export interface SentCommand {
  readonly task: string;
  readonly id: string;
  readonly position: number;
  readonly command: InboxCommandInput;
}

const RETRY_MS = 300;

const Asking = z.object({
  record: z.object({
    calls: z.array(z.object({ phase: z.string(), ask: z.string(), row: z.number().optional() })).default([]),
  }),
});

/** Sends commands to tasks, and repeats each until it is accepted. */
export class Commands {
  readonly #inbox: Inbox;
  readonly #wakes: PostgresWakes;
  readonly #onSent: (sent: SentCommand) => void;
  readonly #answered = new Set<string>();
  readonly #pending = new Set<Promise<void>>();

  constructor(inbox: Inbox, wakes: PostgresWakes, onSent: (sent: SentCommand) => void) {
    this.#inbox = inbox;
    this.#wakes = wakes;
    this.#onSent = onSent;
  }

  /** Put a command into the inbox twice, as a sender without an answer does, and wake the task. */
  send(task: string, command: InboxCommandInput): void {
    const sent = this.#send(task, command).finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  /** Answer an open question that a client sees for the first time. */
  answer({ task, data }: SeenEvent): void {
    for (const { phase, ask, row } of Asking.parse(data).record.calls) {
      if (phase !== "asking" || ask !== "followup" || row === undefined) continue;
      const key = `${task} ${row}`;
      if (this.#answered.has(key)) continue;
      this.#answered.add(key);
      this.send(task, {
        kind: "answer",
        askId: row,
        answer: { kind: "text", text: `answer-${task}-${row}.` },
      });
    }
  }

  /** Resolves when every command was accepted. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #send(task: string, command: InboxCommandInput): Promise<void> {
    const id = randomUUID();
    const position = await untilDone(() => this.#inbox.put(task, id, command));
    this.#onSent({ task, id, position, command });
    const again = await untilDone(() => this.#inbox.put(task, id, command));
    if (again !== position) this.#onSent({ task, id, position: again, command });
    await untilDone(() => this.#wakes.wake(task));
  }
}

/** Repeat an operation that fails while the database is away. */
export async function untilDone<T>(operation: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch {
      await pause(RETRY_MS);
    }
  }
}
