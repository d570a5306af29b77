import { initialTransition } from "xstate";
import { systemClock } from "../../actors/protocol/edge.ts";
import {
  type InboxEvent,
  type InboxState,
  inboxMachine,
  type WaitingCommand,
} from "../../machines/ownership/inbox.machine.ts";
import { transitionsOf } from "../../machines/ownership/transitions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Inbox, InboxItem } from "../../ports/inbox.ts";
import type { Task } from "../task/task.ts";
import { applyCommand, type CommandRefusal } from "./apply-command.ts";

const inboxTransition = transitionsOf(inboxMachine, { taken: 0 });

/** Time after which a failed read, write or removal is repeated, in ms. */
const RETRY_MS = 2_000;

export interface InboxDeliveryOptions {
  /** An open task, which this process owns. */
  readonly task: Task;
  readonly inbox: Pick<Inbox, "after" | "remove" | "watch">;
  /** Time after which a failed read, write or removal is repeated, in ms. Default 2,000. */
  readonly retryMs?: number;
  readonly clock?: Clock;
  /** Called with each command that is refused. The journal has its position and the code. */
  readonly onRefused?: (command: WaitingCommand, refusal: CommandRefusal) => void;
  /** Called with each failure, which is repeated later: of the database, or of the task's journal. */
  readonly onError: (error: unknown) => void;
}

/** The delivery of the commands of one task. */
export interface InboxDelivery {
  /**
   * Read the inbox, and resolve once all commands that were added before this call are taken and removed. Rejects with the
   * first failure; the delivery goes on. Resolves also when the delivery stops.
   */
  taken(): Promise<void>;
  /** Stop taking commands. A task that is closed stops its delivery. */
  stop(): void;
}

/**
 * Deliver the commands of a task's inbox to the task, in order and each once: those that are there, then each that is added,
 * until the task is closed.
 */
export function deliverInbox(options: InboxDeliveryOptions): InboxDelivery {
  return new Delivery(options);
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class Delivery implements InboxDelivery {
  readonly #options: InboxDeliveryOptions;
  readonly #effects: ReadonlyMap<string, () => void>;
  readonly #unwatch: () => void;
  readonly #clock: Clock;
  #state: InboxState;
  #waiters: readonly Waiter[] = [];
  #cancelRetry: (() => void) | undefined;

  constructor(options: InboxDeliveryOptions) {
    const { task, inbox, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#effects = new Map([
      ["write", () => this.#attempt(task.flushed(), () => ({ type: "written" }))],
      ["read", () => this.#attempt(this.#read(), (commands) => ({ type: "read", commands }))],
      ["take", () => this.#take()],
      ["remove", () => this.#attempt(this.#remove(), () => ({ type: "removed" }))],
      ["retryLater", () => this.#retryLater()],
      ["rest", () => this.#settle(({ resolve }) => resolve())],
    ]);
    const [state, actions] = initialTransition(inboxMachine, { taken: task.taken });
    this.#state = state;
    this.#unwatch = inbox.watch({
      onAdded: (taskId) => {
        if (taskId === task.id) this.#send({ type: "added" });
      },
      onGap: () => this.#send({ type: "added" }),
    });
    task.events$.subscribe({ complete: () => this.stop() });
    this.#execute(actions);
  }

  taken(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiters = [...this.#waiters, { resolve, reject }];
      this.#send({ type: "added" });
    });
  }

  stop(): void {
    this.#unwatch();
    this.#cancelRetry?.();
    this.#send({ type: "stopped" });
    this.#settle(({ resolve }) => resolve());
  }

  get #isStopped(): boolean {
    return this.#state.matches("stopped");
  }

  #send(event: InboxEvent): void {
    const [state, actions] = inboxTransition(this.#state, event);
    this.#state = state;
    this.#execute(actions);
  }

  #execute(actions: readonly { readonly type: string }[]): void {
    for (const { type } of actions) this.#effects.get(type)?.();
  }

  #read(): Promise<readonly InboxItem[]> {
    const { task, inbox } = this.#options;
    return inbox.after(task.id, this.#state.context.taken);
  }

  #remove(): Promise<void> {
    const { task, inbox } = this.#options;
    return inbox.remove(task.id, this.#state.context.taken);
  }

  /** Send the event of an operation that has ended. */
  #attempt<T>(operation: Promise<T>, eventOf: (result: T) => InboxEvent): void {
    operation.then(
      (result) => this.#send(eventOf(result)),
      (error: unknown) => this.#fail(error),
    );
  }

  #take(): void {
    const { task, onRefused, onError } = this.#options;
    const [waiting] = this.#state.context.waiting;
    if (waiting === undefined) throw new Error("Expected a command that waits, found none.");
    const refusals: CommandRefusal[] = [];
    try {
      task.take(waiting.position, () => {
        const result = applyCommand(task, waiting.command);
        if (result.ok) return undefined;
        refusals.push(result);
        return result.code;
      });
    } catch (error) {
      if (task.taken < waiting.position) {
        this.#fail(error);
        return;
      }
      onError(error);
    }
    for (const refusal of refusals) onRefused?.(waiting, refusal);
    this.#send({ type: "taken" });
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.#options.onError(error);
    this.#settle(({ reject }) => reject(error));
    this.#send({ type: "failed" });
  }

  #retryLater(): void {
    const { retryMs = RETRY_MS } = this.#options;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#clock.after(retryMs, () => this.#send({ type: "retry.due" }), {
      keepsAlive: false,
    });
  }

  #settle(settle: (waiter: Waiter) => void): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) settle(waiter);
  }
}
