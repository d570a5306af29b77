import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { PostgresWakes } from "../../../cluster/wakes/wakes.ts";
import type { Inbox } from "../../../ports/inbox.ts";
import type { InboxCommandInput } from "../../../wire/inbox.ts";

/** A command that the inbox has accepted. */
export interface SentCommand {
  readonly task: string;
  readonly id: string;
  readonly position: number;
  readonly command: InboxCommandInput;
}

const RETRY_MS = 300;

/** Sends commands to tasks, and repeats each until it is accepted. */
export class Commands {
  readonly #inbox: Inbox;
  readonly #wakes: PostgresWakes;
  readonly #onSent: (sent: SentCommand) => void;
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
