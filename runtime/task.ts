import { randomUUID } from "node:crypto";
import { defer, filter, firstValueFrom, from, map, merge, type Observable } from "rxjs";
import type { Actor, InspectionEvent } from "xstate";
import type { AnswerResult, AskBoard, AskHandle, Clock } from "../actors/index.ts";
import type { AgentStateInfo, Answer, AskType, ClineMessage, Log } from "../machines/message/index.ts";
import type { QueuedMessage, taskMachine, Usage, UserEvent } from "../machines/task/index.ts";
import { addUsage } from "../machines/task/index.ts";
import type { Gate } from "../store/index.ts";
import type { JournalHeader } from "../wire/index.ts";
import type { Breakpoints } from "./breakpoints.ts";
import { HostError } from "./errors.ts";
import { expectMode } from "./mode.ts";
import type { DroppedTail } from "./reopen.ts";
import { ShownTask, type TaskCommit, type TaskSnapshot } from "./shown-task.ts";
import { type TypedAsk, typedAsk } from "./typed-ask.ts";
import type { Said, WordCheck } from "./words.ts";

/** How a stretch of work ended. */
export interface TaskEnd {
  readonly state: AgentStateInfo["state"];
  /** What the task rests on. */
  readonly ask: AskType;
  /** What the model gave as its result, if it completed. */
  readonly result?: string;
  /** US dollars, of all its own requests; for its subtasks' too see `Task.familyUsage`. */
  readonly cost: number;
  readonly usage: Usage;
}

/** What became of a message for the queue. */
export type QueueResult =
  | { readonly queued: true; readonly id: string }
  | { readonly queued: false; readonly code: "QUEUE_FULL" | "TASK_CLOSED"; readonly message: string };

/** What became of a change to words that wait in the queue. */
export type EditResult =
  | { readonly edited: true }
  /** `QUEUED_UNKNOWN`: no such words wait there; they may have been said by now. */
  | { readonly edited: false; readonly code: "QUEUED_UNKNOWN" | "TASK_CLOSED"; readonly message: string };

/** What became of a change of the mode. */
export type ModeResult =
  | { readonly switched: true }
  | { readonly switched: false; readonly code: "TASK_CLOSED"; readonly message: string };

export interface TaskParts {
  readonly id: string;
  readonly workspace: string;
  /** Of a subtask: whose. */
  readonly parent: JournalHeader["parent"];
  readonly dropped: DroppedTail | undefined;
  readonly actor: Actor<typeof taskMachine>;
  readonly gate: Gate<TaskSnapshot>;
  readonly board: AskBoard;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly words: WordCheck;
  readonly breakpoints: Breakpoints;
  /** Ends what the task's effects left behind, and resolves when they have ended. */
  readonly endEffects: () => Promise<void>;
  /** What as many subtasks have used, and theirs. */
  readonly subtasksUsage: (children: number) => Promise<Usage>;
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
  /** Of a subtask: the task that it works for, the topmost one, and the call that it is the work of (L16). */
  readonly parent: JournalHeader["parent"];
  /** The id of the topmost task of its family: its own, where it is no subtask. */
  readonly rootId: string;
  /** Names this opening of the task: another each time that it is opened. */
  readonly instanceId: string = randomUUID();
  /** Of a task that was opened again: the torn end of its journal, which nobody had been shown, and where it is now. */
  readonly dropped: DroppedTail | undefined;
  readonly #parts: TaskParts;
  readonly #shown: ShownTask;
  #broken: { readonly cause: unknown; readonly ended: Promise<void> } | undefined;
  #closing: Promise<void> | undefined;

  /** Made by a host: see `createHost`. */
  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.workspace = parts.workspace;
    this.parent = parts.parent;
    this.rootId = parts.parent?.rootId ?? parts.id;
    this.dropped = parts.dropped;
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

  /** The asks that can be answered now. A completion that was accepted or declined is still here, for a reply. */
  get asks(): readonly TypedAsk[] {
    return this.#parts.board.open.map((handle) => this.#typed(handle));
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

  /**
   * The ask that is open, then each as it opens: only then can it be answered. Each is offered once: a
   * completion that was accepted or declined is found in `asks` alone.
   */
  get asks$(): Observable<TypedAsk> {
    const { board } = this.#parts;
    return defer(() => merge(board.opened$, from(board.open))).pipe(
      filter((handle) => !isReplyOnly(handle)),
      map((handle) => this.#typed(handle)),
    );
  }

  /**
   * Starts the task, or goes on with one that rests, and resolves when it rests again. Whoever runs it must
   * see to its asks: the task waits for them. Of a task that rests on a failed request it is a retry.
   * @throws HostError `TASK_BUSY` while it works, waits for an answer, or rests on a limit that only its ask
   * can lift; `TASK_CLOSED` when it is closed before; `TASK_BROKEN` when it broke an invariant;
   * `OPTION_INVALID` for words or images that can't be taken
   * @throws JournalError when it rests because its journal can't be written, and that is still so
   */
  async run(prompt: string, images: readonly string[] = []): Promise<TaskEnd> {
    const said = { text: prompt, images };
    this.#parts.words.expect("prompt", said);
    this.#expectOpen();
    const { value } = this.#parts.actor.getSnapshot();
    if (value === "no_task") {
      const end = this.#nextRest();
      this.#send({ type: "task.start", ...said });
      return end;
    }
    if (!isRest(value)) throw this.#busy(`is ${this.state.state}`);
    // Only once the rest is durable can its ask be answered.
    await this.flushed();
    this.#expectOpen();
    return this.#goOn(said);
  }

  /** Resolves when the task next comes to rest. @throws HostError `TASK_CLOSED`, `TASK_BROKEN` */
  async rested(): Promise<TaskEnd> {
    this.#expectOpen();
    return this.#nextRest();
  }

  /**
   * Puts words into the queue: they go with the next request, answer no ask and approve nothing (L7).
   * @throws HostError `OPTION_INVALID` for words or images that can't be taken
   */
  queue(text: string, images: readonly string[] = []): QueueResult {
    this.#parts.words.expect("message", { text, images });
    const ended = this.#ended();
    if (ended !== undefined) return { queued: false, code: "TASK_CLOSED", message: ended.message };
    const id = this.#parts.newId();
    this.#send({ type: "queue.added", item: { id, text, images } });
    const { queue, limits } = this.#parts.actor.getSnapshot().context;
    if (queue.some((item) => item.id === id)) return { queued: true, id };
    const message = `The queue of task ${this.id} holds ${limits.queued} messages, its limit \`queued\`: remove one, or wait.`;
    return { queued: false, code: "QUEUE_FULL", message };
  }

  /**
   * Changes words that wait in the queue: they keep their place. Without `images` they keep those beside them too; an
   * empty list takes them away.
   * @throws HostError `OPTION_INVALID` for words or images that can't be taken
   */
  editQueued(id: string, text: string, images?: readonly string[]): EditResult {
    this.#parts.words.expect("message", { text, images: images ?? [] });
    const ended = this.#ended();
    if (ended !== undefined) return { edited: false, code: "TASK_CLOSED", message: ended.message };
    const { queue } = this.#parts.actor.getSnapshot().context;
    if (!queue.some((item) => item.id === id))
      return { edited: false, code: "QUEUED_UNKNOWN", message: notQueued(id, queue) };
    this.#send({ type: "queue.edited", id, text, ...(images !== undefined && { images }) });
    return { edited: true };
  }

  /** Takes words out of the queue. */
  unqueue(id: string): void {
    this.#send({ type: "queue.removed", id });
  }

  /**
   * Has the task work in another mode, from its next request on: the model is told then. It is recorded like all else,
   * and the task is in that mode when it is opened again. Any slug is a mode; what one means is for the instructions to say.
   * @throws HostError `OPTION_INVALID` for what is no slug
   */
  switchMode(slug: string): ModeResult {
    expectMode(slug);
    const ended = this.#ended();
    if (ended !== undefined) return { switched: false, code: "TASK_CLOSED", message: ended.message };
    this.#send({ type: "mode.switched", mode: slug });
    return { switched: true };
  }

  /** Answers the ask of this id; says why if that can't be. */
  answer(askId: number, answer: Answer): AnswerResult {
    const handle = this.#parts.board.open.find((open) => open.askId === askId);
    return handle === undefined
      ? this.#parts.board.answer(askId, answer)
      : this.#checked(handle).answer(answer);
  }

  /** Holds the events of this task's actors before its machine takes them, for whoever debugs it. */
  get breakpoints(): Breakpoints {
    return this.#parts.breakpoints;
  }

  /**
   * Tells the observer what XState does with this task and its actors, as it does it: ahead of what is durable. What
   * it gives ends that. A task that nobody inspects bears no cost of it.
   */
  inspect(observer: (event: InspectionEvent) => void): () => void {
    const subscription = this.#parts.actor.system.inspect(observer);
    return () => subscription.unsubscribe();
  }

  /** Brings the task to rest, from wherever it is, at once (L10). */
  cancel(): void {
    this.#send({ type: "task.cancel" });
  }

  /** Resolves when all that was decided is durable and shown. @throws JournalError */
  flushed(): Promise<void> {
    return this.#parts.gate.flushed();
  }

  /**
   * What the task and all its subtasks have used, with theirs: tokens and US dollars. `TaskEnd` and `snapshot` tell of
   * the task's own requests alone.
   * @throws JournalError where a subtask's journal can't be read
   */
  async familyUsage(): Promise<Usage> {
    const { total, children } = this.snapshot.context;
    return addUsage(total, await this.#parts.subtasksUsage(children));
  }

  /**
   * Cancels, waits for what still runs to end, writes what is left, and forgets the task. Its log stays.
   * Its subtasks that are open are closed too.
   * @throws JournalError when something could not be written
   */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Called by its host when the task can't go on: ends what it left running. */
  breakOff(cause: unknown): void {
    if (this.#closing !== undefined || this.#broken !== undefined) return;
    const { actor, endEffects } = this.#parts;
    // XState stops the children of an actor that stops, not of one that threw. The event is what it stops them by.
    for (const child of Object.values(actor.getSnapshot().children)) child?.send({ type: "xstate.stop" });
    actor.stop();
    const ended = endEffects();
    // Whoever closes the task hears of it; nobody may.
    ended.catch(() => undefined);
    this.#broken = { cause, ended };
  }

  async #end(): Promise<void> {
    const { actor, gate, endEffects } = this.#parts;
    this.#send({ type: "task.cancel" });
    try {
      await (this.#broken?.ended ?? endEffects());
    } finally {
      actor.stop();
      await gate.close();
    }
  }

  #send(event: Untimed<UserEvent>): void {
    if (this.#parts.actor.getSnapshot().status !== "active") return;
    this.#parts.actor.send({ ...event, at: this.#parts.clock.now() });
  }

  #typed(handle: AskHandle): TypedAsk {
    return typedAsk(this.#checked(handle));
  }

  /** The handle with a check of what it is given. */
  #checked(handle: AskHandle): AskHandle {
    return {
      ...handle,
      answer: (answer) => this.#parts.words.refusal(handle, answer) ?? handle.answer(answer),
    };
  }

  /** How words reach a task that rests. */
  #goOn({ text, images }: Said): Promise<TaskEnd> {
    const handle = this.#parts.board.open.at(-1);
    if (handle === undefined) throw this.#busy(`is ${this.state.state} and its ask is not open`);
    const { ask, accepts } = handle;
    const kind = accepts.includes("text") ? "text" : ask === "api_req_failed" ? "yes" : undefined;
    if (kind === undefined) throw this.#busy(`rests on ask ${handle.askId} (${ask}), which takes no words`);
    const end = this.#nextRest();
    const result = this.#checked(handle).answer({ kind, text, images });
    if (result.taken) return end;
    end.catch(() => undefined);
    throw this.#busy(`did not take the words: ${result.message}`);
  }

  #busy(why: string): HostError {
    const message = `Task ${this.id} ${why}: wait until it rests, answer its ask, cancel it, or queue the message.`;
    return new HostError("TASK_BUSY", message);
  }

  #expectOpen(): void {
    const ended = this.#ended();
    if (ended !== undefined) throw ended;
  }

  #ended(): HostError | undefined {
    if (this.#broken !== undefined) return brokenError(this.id, this.#broken.cause);
    if (this.#closing === undefined) return undefined;
    return new HostError("TASK_CLOSED", `Task ${this.id} is closed: open it again to go on.`);
  }

  #nextRest(): Promise<TaskEnd> {
    const rests = this.#shown.events$.pipe(
      filter(({ commit }) => commit.reports.some(({ type }) => type === "task.rested")),
      map(({ snapshot }) => endOf(snapshot)),
    );
    return firstValueFrom(rests).catch((error: unknown) => {
      if (this.#broken !== undefined) throw brokenError(this.id, this.#broken.cause);
      throw new HostError("TASK_CLOSED", `Task ${this.id} was closed before it came to rest.`, error);
    });
  }
}

function brokenError(id: string, cause: unknown): HostError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new HostError("TASK_BROKEN", `Task ${id} can't go on in this process: ${said}`, cause);
}

function notQueued(id: string, queue: readonly QueuedMessage[]): string {
  const ids = queue.map((item) => item.id).join(", ") || "none";
  return `No message ${id} waits in the queue (there: ${ids}). It may be said already.`;
}

/** A completion that was accepted or declined: offered before, and now open for a reply alone. */
const isReplyOnly = ({ ask, accepts }: AskHandle): boolean =>
  ask === "completion_result" && !accepts.includes("yes");

const stateOf = (value: TaskSnapshot["value"]): string | undefined =>
  typeof value === "string" ? value : Object.keys(value)[0];

const isRest = (value: TaskSnapshot["value"]): boolean => {
  const state = stateOf(value);
  return state === "idle" || state === "resumable";
};

function endOf({ value, context }: TaskSnapshot): TaskEnd {
  const { ask, result, total } = context;
  return {
    state: stateOf(value) === "resumable" ? "resumable" : "idle",
    ask: ask?.ask ?? "resume_task",
    ...(ask?.ask === "completion_result" && result !== undefined && { result }),
    cost: total.cost,
    usage: total,
  };
}
