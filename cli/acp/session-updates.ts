import { Subscription } from "rxjs";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { subtasksOf } from "../run/subtasks.ts";
import type { ClientTerminals, OpenTerminal } from "./client-terminals.ts";
import { FactUpdates } from "./fact-updates.ts";
import { TaskUpdates } from "./task-updates.ts";
import type { ShownCall } from "./tool-call-updates.ts";
import type { UpdateQueue } from "./update-queue.ts";

export interface SessionUpdatesOptions {
  readonly task: Task;
  readonly host: Host;
  readonly modes: Modes;
  readonly terminals: ClientTerminals;
  readonly queue: UpdateQueue;
}

/** Queues the updates of the task of a session, and of the calls of its subtasks, until it ends. */
export class SessionUpdates {
  readonly #queue: UpdateQueue;
  /** By the ids of the tasks. */
  readonly #tasks = new Map<string, TaskUpdates>();
  readonly #subscriptions = new Subscription();

  constructor({ task, host, modes, terminals, queue }: SessionUpdatesOptions) {
    this.#queue = queue;
    const facts = new FactUpdates(task, modes);
    this.#follow(task, "", (shown, updates) =>
      queue.addAll([...updates.commit(shown), ...facts.commit(shown)]),
    );
    this.#subscriptions.add(subtasksOf(task, host).subscribe((child) => this.#followSubtask(child)));
    this.#subscriptions.add(terminals.opened$.subscribe((terminal) => this.#showTerminal(terminal)));
  }

  /** A call of a task as it was shown last. */
  call(taskId: string, callId: string): ShownCall | undefined {
    return this.#tasks.get(taskId)?.calls.find(callId);
  }

  /** Queue the ends of the calls that will have no other. */
  interrupt(): void {
    for (const { calls } of this.#tasks.values()) this.#queue.addAll(calls.interrupted());
  }

  end(): void {
    this.#subscriptions.unsubscribe();
  }

  #follow(task: Task, prefix: string, show: (shown: TaskCommit, updates: TaskUpdates) => void): void {
    const updates = new TaskUpdates(task.workspace, prefix);
    this.#tasks.set(task.id, updates);
    this.#subscriptions.add(task.events$.subscribe((shown) => show(shown, updates)));
  }

  /** The client gets the calls of a subtask: its result belongs to the call that started it. */
  #followSubtask(child: Task): void {
    this.#follow(child, `${child.id}/`, (shown, updates) => {
      const calls = updates.commit(shown).filter(({ sessionUpdate }) => CALLS.has(sessionUpdate));
      this.#queue.addAll(calls);
    });
  }

  #showTerminal({ taskId, callId, terminalId }: OpenTerminal): void {
    this.#queue.addAll(this.#tasks.get(taskId)?.calls.terminal(callId, terminalId) ?? []);
  }
}

const CALLS: ReadonlySet<string> = new Set(["tool_call", "tool_call_update"]);
