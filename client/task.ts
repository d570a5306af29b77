import { concat, defer, filter, firstValueFrom, from, map, type Observable } from "rxjs";
import type { Actor } from "xstate";
import type { AnswerResult, AskBoard, Clock, Gate } from "../actors/index.ts";
import type { AgentStateInfo, Answer, AskType, ClineMessage, Log } from "../machines/message/index.ts";
import type { taskMachine, Usage, UserEvent } from "../machines/task/index.ts";
import { HostError } from "./errors.ts";
import { ShownTask, type TaskCommit, type TaskSnapshot } from "./shown-task.ts";
import { type TypedAsk, typedAsk } from "./typed-ask.ts";

/** How a stretch of work ended. */
export interface TaskEnd {
  readonly state: AgentStateInfo["state"];
  /** What the task rests on. */
  readonly ask: AskType;
  /** What the model gave as its result, if it completed. */
  readonly result?: string;
  /** US dollars, of the whole task. */
  readonly cost: number;
  readonly usage: Usage;
}

/** What became of a message for the queue. */
export type QueueResult =
  | { readonly queued: true; readonly id: string }
  | { readonly queued: false; readonly code: "QUEUE_FULL"; readonly message: string };

export interface TaskParts {
  readonly id: string;
  readonly workspace: string;
  readonly actor: Actor<typeof taskMachine>;
  readonly gate: Gate<TaskSnapshot>;
  readonly board: AskBoard;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Ends what the task's effects left behind, and resolves when they have ended. */
  readonly endEffects: () => Promise<void>;
}

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/**
 * One task: typed commands in, durable commits out. What it shows was written before (L11), and the state
 * that its rows mean is the machine's own (L1).
 */
export class Task {
  readonly id: string;
  /** The real path of its workspace. */
  readonly workspace: string;
  readonly #parts: TaskParts;
  readonly #shown: ShownTask;
  #closing: Promise<void> | undefined;

  /** Made by a host: see `createHost`. */
  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.workspace = parts.workspace;
    this.#shown = new ShownTask(parts.gate, parts.actor.getSnapshot());
  }

  /** The rows that are shown. */
  get log(): Log {
    return this.#shown.log;
  }

  /** The state that the rows mean. */
  get state(): AgentStateInfo {
    return this.#shown.state;
  }

  /** The machine's own view of what is shown: counters, queue, conversation, total usage. */
  get snapshot(): TaskSnapshot {
    return this.#shown.snapshot;
  }

  /** The asks that can be answered now. */
  get asks(): readonly TypedAsk[] {
    return this.#parts.board.open.map(typedAsk);
  }

  /** The present state, then the state after each commit that changed the rows. */
  get state$(): Observable<AgentStateInfo> {
    return this.#shown.state$;
  }

  /** Each row as it is appended, and again as it is after each change. */
  get messages$(): Observable<ClineMessage> {
    return this.#shown.messages$;
  }

  /** One commit for each macrostep, in order, once it is durable. Completes when the task is closed. */
  get events$(): Observable<TaskCommit> {
    return this.#shown.events$;
  }

  /** The asks that are open, then each as it opens: only then can it be answered. */
  get asks$(): Observable<TypedAsk> {
    const { board } = this.#parts;
    return defer(() => concat(from(board.open), board.opened$)).pipe(map(typedAsk));
  }

  /**
   * Starts the task, or goes on with one that rests, and resolves when it rests again. Whoever runs it must
   * see to its asks: the task waits for them.
   * @throws HostError `TASK_BUSY` while it works or waits for an answer; `TASK_CLOSED` when it is closed before.
   */
  async run(prompt: string, images: readonly string[] = []): Promise<TaskEnd> {
    const begin = this.#beginning(prompt, images);
    const end = this.#nextRest();
    begin();
    return end;
  }

  /** Resolves when the task next comes to rest. */
  rested(): Promise<TaskEnd> {
    return this.#nextRest();
  }

  /** Puts words into the queue: they go with the next request, answer no ask and approve nothing (L7). */
  queue(text: string, images: readonly string[] = []): QueueResult {
    const id = this.#parts.newId();
    this.#send({ type: "queue.added", item: { id, text, images } });
    const { queue, limits } = this.#parts.actor.getSnapshot().context;
    if (queue.some((item) => item.id === id)) return { queued: true, id };
    const message = `The queue of task ${this.id} holds ${limits.queued} messages, its limit: remove one, or wait.`;
    return { queued: false, code: "QUEUE_FULL", message };
  }

  /** Takes words out of the queue. */
  unqueue(id: string): void {
    this.#send({ type: "queue.removed", id });
  }

  /** Answers the ask of this id; says why if that can't be. */
  answer(askId: number, answer: Answer): AnswerResult {
    return this.#parts.board.answer(askId, answer);
  }

  /** Brings the task to rest, from wherever it is, at once (L10). */
  cancel(): void {
    this.#send({ type: "task.cancel" });
  }

  /** Resolves when all that was decided is durable and shown. @throws JournalError */
  flushed(): Promise<void> {
    return this.#parts.gate.flushed();
  }

  /** Cancels, waits for what still runs to end, writes what is left, and forgets the task. Its log stays. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const { actor, gate, endEffects } = this.#parts;
    this.#send({ type: "task.cancel" });
    await endEffects();
    actor.stop();
    await gate.close();
  }

  #send(event: Untimed<UserEvent>): void {
    this.#parts.actor.send({ ...event, at: this.#parts.clock.now() });
  }

  /** How words reach the task as it is now. */
  #beginning(prompt: string, images: readonly string[]): () => void {
    if (this.#closing !== undefined)
      throw new HostError("TASK_CLOSED", `Task ${this.id} is closed: open it again to go on.`);
    if (this.#parts.actor.getSnapshot().value === "no_task") {
      return () => this.#send({ type: "task.start", text: prompt, images });
    }
    const ask = this.#parts.board.open.find(({ accepts }) => accepts.includes("text"));
    const { state } = this.state;
    if (ask === undefined || (state !== "idle" && state !== "resumable")) {
      throw new HostError(
        "TASK_BUSY",
        `Task ${this.id} is ${state}: wait until it rests, cancel it, or queue the message.`,
      );
    }
    return () => {
      const result = ask.answer({ kind: "text", text: prompt, images });
      if (!result.taken) throw new HostError("TASK_BUSY", result.message);
    };
  }

  #nextRest(): Promise<TaskEnd> {
    const rests = this.#shown.events$.pipe(
      filter(({ commit }) => commit.reports.some(({ type }) => type === "task.rested")),
      map(({ snapshot }) => endOf(snapshot)),
    );
    return firstValueFrom(rests).catch((error: unknown) => {
      throw new HostError("TASK_CLOSED", `Task ${this.id} was closed before it came to rest.`, error);
    });
  }
}

function endOf({ value, context }: TaskSnapshot): TaskEnd {
  const { ask, result, total } = context;
  const state = typeof value === "string" ? value : Object.keys(value)[0];
  return {
    state: state === "resumable" ? "resumable" : "idle",
    ask: ask?.ask ?? "resume_task",
    ...(ask?.ask === "completion_result" && result !== undefined && { result }),
    cost: total.cost,
    usage: total,
  };
}
