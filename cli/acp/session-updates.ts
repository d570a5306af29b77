import { Subscription } from "rxjs";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { subtasksOf } from "../run/subtasks.ts";
import type { ClientTerminals, OpenTerminal } from "./client-terminals.ts";
import { FactUpdates } from "./fact-updates.ts";
import type { SessionClient } from "./session-client.ts";
import type { Subagents } from "./subagents.ts";
import { TaskUpdates } from "./task-updates.ts";
import type { ShownCall } from "./tool-call-updates.ts";

export interface SessionUpdatesOptions {
  readonly task: Task;
  readonly host: Host;
  readonly modes: Modes;
  readonly terminals: ClientTerminals;
  readonly client: SessionClient;
  /** Undefined: the client shows the calls of subtasks in the session. */
  readonly subagents: Subagents | undefined;
}

/** Queues the updates of the task of a session and of its subtasks, until it ends. */
export class SessionUpdates {
  readonly #client: SessionClient;
  /** By the ids of the tasks. */
  readonly #tasks = new Map<string, TaskUpdates>();
  readonly #subscriptions = new Subscription();

  constructor({ task, host, modes, terminals, client, subagents }: SessionUpdatesOptions) {
    this.#client = client;
    const facts = new FactUpdates(task, modes);
    this.#follow(task, "", (shown, updates) => client.send(...updates.commit(shown), ...facts.commit(shown)));
    this.#subscriptions.add(
      subtasksOf(task, host).subscribe((child) => this.#followSubtask(child, subagents)),
    );
    this.#subscriptions.add(terminals.opened$.subscribe((terminal) => this.#showTerminal(terminal)));
  }

  /** A call of a task as it was shown last. */
  call(taskId: string, callId: string): ShownCall | undefined {
    return this.#tasks.get(taskId)?.calls.find(callId);
  }

  /** Queue the ends of the calls that will have no other. */
  interrupt(): void {
    for (const [id, { calls }] of this.#tasks) this.#client.sessionOf(id).send(...calls.interrupted());
  }

  end(): void {
    this.#subscriptions.unsubscribe();
  }

  #follow(task: Task, prefix: string, show: (shown: TaskCommit, updates: TaskUpdates) => void): void {
    const updates = this.#updatesOf(task, prefix);
    this.#subscriptions.add(task.events$.subscribe((shown) => show(shown, updates)));
  }

  #updatesOf(task: Task, prefix: string): TaskUpdates {
    const updates = new TaskUpdates(task.workspace, prefix);
    this.#tasks.set(task.id, updates);
    return updates;
  }

  /** Without a session of its own, only the calls of a subtask are shown: its result belongs to the call that started it. */
  #followSubtask(child: Task, subagents: Subagents | undefined): void {
    if (subagents !== undefined) {
      this.#subscriptions.add(subagents.follow(child, this.#updatesOf(child, "")));
      return;
    }
    this.#follow(child, `${child.id}/`, (shown, updates) => {
      const calls = updates.commit(shown).filter(({ sessionUpdate }) => CALLS.has(sessionUpdate));
      this.#client.send(...calls);
    });
  }

  #showTerminal({ taskId, callId, terminalId }: OpenTerminal): void {
    const updates = this.#tasks.get(taskId)?.calls.terminal(callId, terminalId) ?? [];
    this.#client.sessionOf(taskId).send(...updates);
  }
}

const CALLS: ReadonlySet<string> = new Set(["tool_call", "tool_call_update"]);
