import type { SessionUpdate, StateUpdate } from "@agentclientprotocol/sdk/unstable";
import { filter, firstValueFrom, type Subscription } from "rxjs";
import { dottedPath, isAtRest } from "../../machines/message/states.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { errorMessage } from "../error.ts";
import { usageUpdate } from "./fact-updates.ts";
import type { RecordedSubtask } from "./recorded-subtasks.ts";
import type { SessionClient } from "./session-client.ts";
import {
  type AnnouncedSubtask,
  changedFields,
  describeSubtask,
  promptMessage,
  type SubagentFields,
} from "./subagent-fields.ts";
import { TaskUpdates } from "./task-updates.ts";
import { restState, workState } from "./work-state.ts";

/** The client can cancel the work of a subtask that is open. Only its parent prompts it. */
const OPEN = { cancel: {} };
const CLOSED = {};

export interface SubagentsOptions {
  readonly client: SessionClient;
  /** The task of the session. */
  readonly root: Task;
  /** Report a subtask that could not be closed. */
  readonly report: (message: string) => void;
}

interface OpenSubtask {
  readonly task: Task;
  readonly updates: TaskUpdates;
  /** The last state of its work that is known. */
  state: StateUpdate | undefined;
}

/** A task with its subtasks, as their journals have them. */
type RecordedTree = Pick<RecordedSubtask, "log" | "calls" | "subtasks">;

/**
 * The subtasks of a session as its child sessions: each is announced on the session of its parent before anything else of it
 * is sent, has its own updates, and its parent's session has its state.
 */
export class Subagents {
  readonly #options: SubagentsOptions;
  readonly #open = new Map<string, OpenSubtask>();
  /** The fields that the client has, by the ids of the subtasks. */
  readonly #shown = new Map<string, SubagentFields>();
  /** The folders of the tasks, which their subtasks have unless another one is announced. */
  readonly #workspaces = new Map<string, string | undefined>();

  constructor(options: SubagentsOptions) {
    this.#options = options;
    this.#workspaces.set(options.root.id, options.root.workspace);
  }

  /** Show a subtask that was opened, from its first commit on. One that goes on is announced at once. */
  follow(task: Task, updates: TaskUpdates): Subscription {
    const path = dottedPath(task.snapshot.value);
    const state = workState({ path, log: task.log, cause: undefined });
    const subtask: OpenSubtask = { task, updates, state };
    this.#open.set(task.id, subtask);
    if (task.log.length > 0) this.#announce(subtask);
    return task.events$.subscribe({
      next: (shown) => this.#showCommit(subtask, shown),
      complete: () => this.#end(subtask),
    });
  }

  /** A subtask at rest asks a person how to go on. */
  requireAction({ id }: Task): void {
    const subtask = this.#open.get(id);
    if (subtask !== undefined) this.#patchState(subtask, { state: "requires_action" });
  }

  /** Cancel the work of a subtask, and of its own subtasks. Nothing happens for one that does not work. */
  cancel(sessionId: string): void {
    const subtask = this.#open.get(sessionId);
    if (subtask?.task.isOpen !== true) return;
    const { task } = subtask;
    // A task at rest takes no cancel, but its parent waits for the answer to its ask.
    if (isAskingAtRest(subtask))
      task.close().catch((error: unknown) => this.#options.report(errorMessage(error)));
    else if (task.isWorking) task.cancel();
  }

  /** Resolves when no open subtask works, after the task of the session has settled. */
  async idle(): Promise<void> {
    await Promise.all([...this.#open.values()].map(idleOf));
  }

  /** Announce the open subtasks again: after a load or a resume the client has no current state of them. */
  announceOpen(): void {
    for (const id of this.#open.keys()) this.#shown.delete(id);
    for (const subtask of this.#open.values()) if (subtask.task.log.length > 0) this.#announce(subtask);
  }

  /** Send the history of the session, with the history of each subtask at the call that started it. */
  replay({ calls, subtasks }: Omit<RecordedTree, "log">): void {
    const { id, workspace, log } = this.#options.root;
    this.#replay(id, workspace, { log, calls, subtasks });
  }

  #replay(taskId: string, workspace: string, { log, calls, subtasks }: RecordedTree): void {
    const client = this.#sessionOf(taskId);
    const prompt = taskId === this.#options.root.id ? undefined : String(log.at(0)?.ts);
    const left = new Set(subtasks);
    for (const { updates, callId } of new TaskUpdates(workspace).history(log, calls)) {
      client.send(...updates.filter((update) => !isPrompt(update, prompt)));
      for (const subtask of left)
        if (subtask.parent.callId === callId) {
          left.delete(subtask);
          this.#replaySubtask(subtask);
        }
    }
    for (const subtask of left) this.#replaySubtask(subtask);
  }

  /** Nothing of a recorded subtask can be cancelled until it is open. */
  #replaySubtask(recorded: RecordedSubtask): void {
    const { id, workspace } = recorded;
    const subtask = { ...recorded, log: this.#open.get(id)?.task.log ?? recorded.log };
    this.#shown.delete(id);
    this.#patch(subtask, { ...this.#describe(subtask), capabilities: CLOSED });
    this.#sessionOf(id).send(...promptMessage(subtask));
    this.#replay(id, workspace ?? this.#options.root.workspace, subtask);
    const state = restState(subtask);
    if (state !== undefined) this.#patch(subtask, { state });
  }

  #announce({ task, state }: OpenSubtask): void {
    this.#patch(task, {
      ...this.#describe(task),
      capabilities: OPEN,
      ...(state !== undefined && { state }),
    });
  }

  #showCommit(subtask: OpenSubtask, shown: TaskCommit): void {
    const { task, updates } = subtask;
    const { value, context } = shown.snapshot;
    const { cause, facts } = shown.commit;
    const state = workState({ path: dottedPath(value), log: context.log, cause });
    const client = this.#sessionOf(task.id);
    if (!this.#shown.has(task.id)) {
      subtask.state = state;
      this.#announce(subtask);
      client.send(...promptMessage(task));
    }
    client.send(...updates.commit(shown));
    if (facts?.total !== undefined) client.send(...usageUpdate(task));
    // A later commit at rest does not have the reason why the work stopped.
    if (state !== undefined && !(state.state === "idle" && subtask.state?.state === "idle"))
      this.#patchState(subtask, state);
  }

  #end(subtask: OpenSubtask): void {
    const { task, updates, state } = subtask;
    this.#open.delete(task.id);
    if (!this.#shown.has(task.id)) return;
    this.#sessionOf(task.id).send(...updates.calls.interrupted());
    const ended = isAskingAtRest(subtask) ? { state: "idle", stopReason: "cancelled" } : { state: "idle" };
    this.#patch(task, { capabilities: CLOSED, ...(state?.state !== "idle" && { state: ended }) });
  }

  #patchState(subtask: OpenSubtask, state: StateUpdate): void {
    subtask.state = state;
    this.#patch(subtask.task, { state });
  }

  #describe(subtask: AnnouncedSubtask): SubagentFields {
    this.#workspaces.set(subtask.id, subtask.workspace);
    return describeSubtask(subtask, this.#workspaces.get(subtask.parent?.taskId ?? ""));
  }

  /** Send the fields that the client does not have. */
  #patch({ id, parent }: Pick<AnnouncedSubtask, "id" | "parent">, fields: SubagentFields): void {
    if (parent === undefined) return;
    const before = this.#shown.get(id) ?? {};
    const changes = changedFields(before, { ...before, ...fields });
    if (Object.keys(changes).length === 0) return;
    this.#shown.set(id, { ...before, ...fields });
    this.#sessionOf(parent.taskId).send({ sessionUpdate: "subagent_update", sessionId: id, ...changes });
  }

  #sessionOf(taskId: string): SessionClient {
    return this.#options.client.sessionOf(taskId);
  }
}

/** Resolves when a subtask does not work, or is closed. Its commits are shown before. */
async function idleOf(subtask: OpenSubtask): Promise<void> {
  const isIdle = (): boolean => subtask.state?.state === "idle";
  if (!isIdle()) await firstValueFrom(subtask.task.events$.pipe(filter(isIdle)), { defaultValue: undefined });
}

const isAskingAtRest = ({ task, state }: OpenSubtask): boolean =>
  state?.state === "requires_action" && isAtRest(dottedPath(task.snapshot.value));

const isPrompt = (update: SessionUpdate, messageId: string | undefined): boolean =>
  update.sessionUpdate === "user_message_chunk" && update.messageId === messageId;
