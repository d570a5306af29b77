import type { Observable } from "rxjs";
import {
  type AgentStateInfo,
  type ClineMessage,
  isIdleAsk,
  isResumableAsk,
  type ProgressStatus,
} from "../../machines/message/index.ts";
import { callOfToolActor } from "../../machines/task/index.ts";
import type { Ask } from "./ask.ts";
import { messageChanges } from "./message-changes.ts";
import type { RunOptions } from "./run.ts";
import type { TaskEnd } from "./task-end.ts";
import type { TaskCommit } from "./task-view.ts";
import type { TreeAsk } from "./tree-asks.ts";

/** An event of `Task.stream`. A message is identified by its `ts`. */
export type TaskStreamEvent =
  /** More text of the model. */
  | { readonly type: "text"; readonly ts: number; readonly text: string }
  /** More of the model's thinking. */
  | { readonly type: "thinking"; readonly ts: number; readonly text: string }
  | { readonly type: "tool.started"; readonly callId: string; readonly name: string }
  /** More output of a command, also of one that continues in the background. */
  | { readonly type: "tool.output"; readonly callId: string; readonly text: string }
  /** The newest status of a running call. */
  | { readonly type: "tool.progress"; readonly callId: string; readonly status: ProgressStatus }
  /** The call has ended, or was stopped. */
  | { readonly type: "tool.finished"; readonly callId: string }
  /**
   * The task, or the descendant at the end of `path`, waits for an answer. The ask that the task rests on is in the
   * result; a `resume_task` of a descendant is not shown: resuming the task resumes the subtasks that it waits for.
   */
  | { readonly type: "ask"; readonly ask: Ask; readonly path: TreeAsk["path"] }
  | { readonly type: "state"; readonly state: AgentStateInfo["state"] }
  /** The task has settled. The last event. */
  | { readonly type: "result"; readonly end: TaskEnd };

/** The part of a task that a stream needs. */
interface StreamedTask {
  readonly asks: readonly Ask[];
  readonly treeAsks$: Observable<TreeAsk>;
  readonly state: AgentStateInfo;
  readonly events$: Observable<TaskCommit>;
  run(prompt?: string, options?: RunOptions): Promise<TaskEnd>;
}

/**
 * The events of one run of a task. A slow reader holds up nothing: between two other events, the deltas of one message
 * wait as one, and of the statuses of one call the newest. A reader that leaves the loop does not cancel the task.
 */
export async function* streamTask(
  task: StreamedTask,
  prompt: string | undefined,
  options: RunOptions | undefined,
): AsyncGenerator<TaskStreamEvent, void> {
  const waiting = new WaitingEvents();
  const earlier = new Set(task.asks.map(({ id }) => id));
  let state = task.state.state;
  const commits = task.events$.subscribe((shown) => {
    for (const event of eventsOf(shown)) waiting.add(event);
    if (task.state.state === state) return;
    state = task.state.state;
    waiting.add({ type: "state", state });
  });
  const asks = task.treeAsks$.subscribe(({ path, ask }) => {
    const isOwn = path.length === 1;
    const isShown = isOwn ? !earlier.has(ask.id) && !isAtRestAsk(ask) : ask.kind !== "resume_task";
    if (isShown) waiting.add({ type: "ask", ask, path });
  });
  task.run(prompt, options).then(
    (end) => waiting.add({ type: "result", end }),
    (error: unknown) => waiting.fail(error),
  );
  try {
    for (;;) {
      const event = await waiting.next();
      yield event;
      if (event.type === "result") return;
    }
  } finally {
    commits.unsubscribe();
    asks.unsubscribe();
  }
}

const isAtRestAsk = ({ kind }: Ask): boolean => isIdleAsk(kind) || isResumableAsk(kind);

function* eventsOf({ commit, snapshot }: TaskCommit): Generator<TaskStreamEvent, void> {
  // The texts of a prompt and of feedback are the user's.
  const { cause } = commit;
  const isUsers = cause?.type === "task.start";
  for (const { message, isNew, grownBy } of messageChanges(snapshot.context.log, commit.log)) {
    const text = isNew ? message.text : grownBy;
    if (text && !isUsers) yield* deltaOf(message, text);
  }
  // It is in no message.
  if (cause?.type === "tool.output" && commit.log.length === 0)
    yield { type: "tool.output", callId: cause.callId, text: cause.text };
  if (cause?.type === "tool.progress")
    yield { type: "tool.progress", callId: cause.callId, status: cause.status };
  for (const { type, effect, id } of commit.effects) {
    if (effect !== "tool") continue;
    const callId = callOfToolActor(id);
    const call = snapshot.context.turn.calls.find((one) => one.callId === callId);
    if (type === "effect.stopped") yield { type: "tool.finished", callId };
    else yield { type: "tool.started", callId, name: call?.name ?? "" };
  }
}

function* deltaOf({ ts, say, ask, callId }: ClineMessage, text: string): Generator<TaskStreamEvent, void> {
  if (say === "text") yield { type: "text", ts, text };
  else if (say === "reasoning") yield { type: "thinking", ts, text };
  else if (ask === "command_output" && callId !== undefined) yield { type: "tool.output", callId, text };
}

/** The events that the reader has not taken. */
class WaitingEvents {
  readonly #events: TaskStreamEvent[] = [];
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  add(event: TaskStreamEvent): void {
    if (!this.#join(event)) this.#events.push(event);
    this.#wake?.();
  }

  /** Join the event with one of its message or call. Those of other messages may be between, but no event of order. */
  #join(event: TaskStreamEvent): boolean {
    for (let index = this.#events.length - 1; index >= 0; index -= 1) {
      const earlier = this.#events[index];
      if (earlier === undefined || !isGrowth(earlier)) return false;
      const joined = join(earlier, event);
      if (joined === undefined) continue;
      this.#events[index] = joined;
      return true;
    }
    return false;
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake?.();
  }

  /** The next event, once there is one. @throws the error of the run, after its events */
  async next(): Promise<TaskStreamEvent> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Whether its position among the growths of other messages and calls has no meaning. */
const isGrowth = ({ type }: TaskStreamEvent): boolean =>
  type === "text" || type === "thinking" || type === "tool.output" || type === "tool.progress";

/** Two deltas of one message or call as one; of two statuses of a call the newer. */
function join(one: TaskStreamEvent, next: TaskStreamEvent): TaskStreamEvent | undefined {
  if (one.type === "tool.output" && next.type === "tool.output" && one.callId === next.callId)
    return { ...next, text: one.text + next.text };
  if (one.type === "tool.progress" && next.type === "tool.progress" && one.callId === next.callId)
    return next;
  if (
    (one.type === "text" || one.type === "thinking") &&
    (next.type === "text" || next.type === "thinking") &&
    one.ts === next.ts
  )
    return { ...one, text: one.text + next.text };
  return undefined;
}
