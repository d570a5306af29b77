import { type Observable, Subscription } from "rxjs";
import { isIdleAsk, isResumableAsk } from "../../machines/message/asks.ts";
import { type AgentStateInfo, detectAgentState } from "../../machines/message/detect.ts";
import type { ClineMessage, Denial, ProgressStatus } from "../../machines/message/message.ts";
import { callOfToolActor } from "../../machines/task/calls.ts";
import type { Input, Outcome } from "../../machines/tool-call/call.ts";
import type { Ask } from "./ask.ts";
import { messageChanges } from "./message-changes.ts";
import type { ResultOptions } from "./run.ts";
import type { TaskEnd } from "./task-end.ts";
import type { TaskCommit, TaskSnapshot } from "./task-view.ts";
import { pathBetween, type TreeAsk } from "./tree-asks.ts";
import { UnstartedCalls } from "./unstarted-calls.ts";

/** The ids of the task and of the subtasks down to the one that an event is about. */
interface InTask {
  readonly path: TreeAsk["path"];
}

interface OfCall extends InTask {
  readonly callId: string;
}

/**
 * How a call ended. `denied`: by a rule, a policy or a hook; `rejected`: by the answer to its ask; `cancelled`: it was
 * stopped, and what it did is known when the task continues.
 */
type CallEnd = Outcome["kind"] | "rejected" | "cancelled";

/** An event of `Task.stream`. A message is identified by its `ts`, a call by its `callId`, each in its task. */
export type TaskStreamEvent<E extends TaskEnd = TaskEnd> =
  /** More text of the model. */
  | (InTask & { readonly type: "text"; readonly ts: number; readonly text: string })
  /** More of the model's thinking. */
  | (InTask & { readonly type: "thinking"; readonly ts: number; readonly text: string })
  /** A call starts with these arguments; `childId`: the subtask that executes it. */
  | (OfCall & {
      readonly type: "tool.started";
      readonly name: string;
      readonly input: Input;
      readonly childId?: string;
    })
  /** More output of a command, also of one that continues in the background. */
  | (OfCall & { readonly type: "tool.output"; readonly text: string })
  /** The newest status of a running call. */
  | (OfCall & { readonly type: "tool.progress"; readonly status: ProgressStatus })
  /**
   * The call has ended, also one that was never started. `result`: what the model gets; empty for a cancelled one. `input`:
   * the arguments of a call that was never started, if they were complete. `denial`: what denied the call, and its message.
   */
  | (OfCall & {
      readonly type: "tool.finished";
      readonly name: string;
      readonly outcome: CallEnd;
      readonly result: Outcome["content"];
      readonly input?: Input;
      readonly denial?: { readonly by: Denial; readonly message: string };
    })
  /**
   * The task, or the descendant at the end of `path`, waits for an answer. The ask that the task rests on is in the
   * result; a `resume_task` of a descendant is not shown: resuming the task resumes the subtasks that it waits for.
   */
  | { readonly type: "ask"; readonly ask: Ask; readonly path: TreeAsk["path"] }
  | (InTask & { readonly type: "state"; readonly state: AgentStateInfo["state"] })
  /** The task has settled. The last event. */
  | { readonly type: "result"; readonly end: E };

/** The part of a task that a stream needs. */
interface StreamedTask {
  readonly id: string;
  readonly asks: readonly Ask[];
  readonly treeAsks$: Observable<TreeAsk>;
  readonly state: AgentStateInfo;
  readonly snapshot: TaskSnapshot;
  readonly events$: Observable<TaskCommit>;
  run(prompt?: string, options?: ResultOptions<unknown>): Promise<TaskEnd>;
}

type StreamedSubtask = Pick<StreamedTask, "id" | "state" | "snapshot" | "events$">;

/** The open descendants of a streamed task, and each when it is opened. */
interface StreamedSubtasks {
  readonly open: readonly StreamedSubtask[];
  readonly opened$: Observable<StreamedSubtask>;
}

/**
 * The events of one run of a task. A slow reader holds up nothing: between two other events, the deltas of one message
 * wait as one, and of the statuses of one call the newest. A reader that leaves the loop does not cancel the task.
 */
export async function* streamTask(
  task: StreamedTask,
  subtasks: StreamedSubtasks,
  prompt: string | undefined,
  options: ResultOptions<unknown> | undefined,
): AsyncGenerator<TaskStreamEvent, void> {
  const waiting = new WaitingEvents();
  const earlier = new Set(task.asks.map(({ id }) => id));
  const commits = new Subscription();
  const follow = (one: StreamedSubtask): void => {
    const path = pathBetween(task.id, one.id);
    let { state } = one.state;
    const calls = new StreamedCalls();
    const unstarted = new UnstartedCalls(one.snapshot);
    commits.add(
      one.events$.subscribe((shown) => {
        unstarted.apply(shown.commit.calls, shown.snapshot);
        for (const event of eventsOf(shown, path, unstarted)) if (calls.isNews(event)) waiting.add(event);
        for (const event of calls.endsInBackground(shown, path)) waiting.add(event);
        const now = detectAgentState(shown.snapshot.context.log).state;
        if (now === state) return;
        state = now;
        waiting.add({ type: "state", state, path });
      }),
    );
  };
  for (const one of [task, ...subtasks.open]) follow(one);
  commits.add(subtasks.opened$.subscribe(follow));
  const asks = task.treeAsks$.subscribe(({ path, ask }) => {
    const isOwn = path.length === 1;
    const isShown = isOwn ? !earlier.has(ask.id) && !isAtRestAsk(ask) : ask.kind !== "resume";
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

/** The calls of one task whose starts and ends are streamed, each end once. */
class StreamedCalls {
  readonly #names = new Map<string, string>();
  readonly #finished = new Set<string>();

  /** Whether the event is not streamed yet: a settled call is recorded again when its message is shown. */
  isNews(event: TaskStreamEvent): boolean {
    if (event.type === "tool.started") this.#names.set(event.callId, event.name);
    if (event.type !== "tool.finished") return true;
    if (this.#finished.has(event.callId)) return false;
    this.#finished.add(event.callId);
    return true;
  }

  /** The ends of commands that continued in the background. */
  *endsInBackground(
    { commit, snapshot }: TaskCommit,
    path: TreeAsk["path"],
  ): Generator<TaskStreamEvent, void> {
    const { calls } = snapshot.context.turn;
    for (const { type, effect, id } of commit.effects) {
      if (type !== "effect.stopped" || effect !== "tool") continue;
      const callId = callOfToolActor(id);
      const name = this.#names.get(callId);
      const isInTurn = calls.some((call) => call.callId === callId && call.phase !== "settled");
      if (name === undefined || isInTurn || this.#finished.has(callId)) continue;
      this.#finished.add(callId);
      yield { type: "tool.finished", callId, name, ...endOfCommand(commit.cause, callId), path };
    }
  }
}

/** The outcome of a command in the background, by the event that ended it. */
function endOfCommand(
  cause: TaskCommit["commit"]["cause"],
  callId: string,
): Pick<Extract<TaskStreamEvent, { type: "tool.finished" }>, "outcome" | "result"> {
  if (cause?.type === "tool.finished" && cause.callId === callId)
    return { outcome: "done", result: cause.content };
  const hasFailed = cause?.type === "tool.failed" && cause.callId === callId;
  return { outcome: hasFailed ? "failed" : "cancelled", result: [] };
}

const isAtRestAsk = ({ type }: Ask): boolean => isIdleAsk(type) || isResumableAsk(type);

function* eventsOf(
  { commit, snapshot, durable }: TaskCommit,
  path: TreeAsk["path"],
  unstarted: UnstartedCalls,
): Generator<TaskStreamEvent, void> {
  // The texts of a prompt and of feedback are the user's.
  const { cause } = commit;
  const isUsers = cause?.type === "task.start";
  for (const { message, isNew, grownBy } of messageChanges(snapshot.context.log, commit.log)) {
    const text = isNew ? message.text : grownBy;
    if (text && !isUsers) yield* deltaOf(message, text, path);
  }
  // It is in no message.
  if (cause?.type === "tool.output" && commit.log.length === 0)
    yield { type: "tool.output", callId: cause.callId, text: cause.text, path };
  if (cause?.type === "tool.progress")
    yield { type: "tool.progress", callId: cause.callId, status: cause.status, path };
  // The effects of a commit that is not durable have not started.
  if (durable) yield* startsIn(commit, snapshot, path);
  yield* endsIn(commit, snapshot, path, unstarted);
}

function* endsIn(
  { calls, cause }: TaskCommit["commit"],
  { context: { background, turn } }: TaskSnapshot,
  path: TreeAsk["path"],
  unstarted: UnstartedCalls,
): Generator<TaskStreamEvent, void> {
  const isAnswer = cause?.type === "ask.answered" || cause?.type === "ask.expired";
  for (const call of calls) {
    const { callId, name } = call;
    if (call.phase === "stopped")
      yield { type: "tool.finished", callId, name, outcome: "cancelled", result: [], path };
    // A command that continues in the background has not ended.
    if (background.some((command) => command.callId === callId)) continue;
    if (call.phase !== "settled") continue;
    const { kind, content } = call.outcome;
    const input = unstarted.find(callId)?.input;
    yield {
      type: "tool.finished",
      callId,
      name,
      outcome: kind === "denied" && isAnswer ? "rejected" : kind,
      result: content,
      ...(input !== undefined && { input }),
      ...denialOf(turn.calls, callId),
      path,
    };
  }
}

function denialOf(
  calls: TaskSnapshot["context"]["turn"]["calls"],
  callId: string,
): Pick<Extract<TaskStreamEvent, { type: "tool.finished" }>, "denial"> {
  const call = calls.find((each) => each.callId === callId);
  const { denial: by, text: message } = (call?.phase === "settled" && call.notice) || {};
  return by === undefined || message === undefined ? {} : { denial: { by, message } };
}

function* startsIn(
  { effects, calls }: TaskCommit["commit"],
  { context: { turn } }: TaskSnapshot,
  path: TreeAsk["path"],
): Generator<TaskStreamEvent, void> {
  for (const { type, effect, id } of effects) {
    if (type !== "effect.started" || effect !== "tool") continue;
    const call = turn.calls.find(({ callId }) => callId === callOfToolActor(id));
    if (call?.phase !== "running") continue;
    const { callId, name, input, amendment } = call;
    yield { type: "tool.started", callId, name, input: { ...input, ...amendment }, path };
  }
  for (const call of calls) {
    if (call.phase !== "delegated") continue;
    const { callId, name, input, childId } = call;
    yield { type: "tool.started", callId, name, input, childId, path };
  }
}

function* deltaOf(
  { ts, say, ask, callId }: ClineMessage,
  text: string,
  path: TreeAsk["path"],
): Generator<TaskStreamEvent, void> {
  if (say === "text") yield { type: "text", ts, text, path };
  else if (say === "reasoning") yield { type: "thinking", ts, text, path };
  else if (ask === "command_output" && callId !== undefined)
    yield { type: "tool.output", callId, text, path };
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

  /** Join the event with one of its message or call. Events of other messages may be between, but no event of order. */
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
  if (!("path" in one && "path" in next) || one.path.at(-1) !== next.path.at(-1)) return undefined;
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
