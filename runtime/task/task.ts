import { defer, filter, firstValueFrom, from, map, merge, type Observable, tap, throwIfEmpty } from "rxjs";
import type { InspectionEvent } from "xstate";
import type { z } from "zod";
import { lateAnswer } from "../../actors/ask/ask.ts";
import type { AnswerResult, AskHandle } from "../../actors/ask/open-asks.ts";
import { ContainedObservable, callContained } from "../../actors/protocol/contained.ts";
import type { Checkpoints, CheckpointsOff } from "../../adapters/checkpoints/checkpoints.ts";
import { frozen } from "../../machines/list/frozen.ts";
import { type Answer, isAskType } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import { type Log, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { OperationResult } from "../../machines/message/operation-result.ts";
import { isPassivatable } from "../../machines/task/passivation.ts";
import { profileNames } from "../../machines/task/profile.ts";
import { addUsage } from "../../machines/task/request.ts";
import type {
  CancelOrigin,
  Completion,
  QueuedMessage,
  Usage,
  UserEvent,
  WakeEvent,
} from "../../machines/task/task.events.ts";
import { wakeTime, wakeUpFault } from "../../machines/task/wake.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import type { JournalHeader } from "../../wire/journal/record.ts";
import type { Breakpoints } from "../breakpoints/breakpoints.ts";
import type { DroppedTail } from "../recovery.ts";
import { type Ask, createAsk } from "./ask.ts";
import { askFacts, askList } from "./ask-list.ts";
import { HostError } from "./errors.ts";
import { type PermissionChange, permissionsOf } from "./permission-change.ts";
import { ReceivedAsks, unansweredAsks } from "./received-asks.ts";
import type { Residence, Residency } from "./residency.ts";
import { answeredBy, cancelledBy, continuation, type ResultOptions, type RunOptions } from "./run.ts";
import { assertMode, assertProfile } from "./selection.ts";
import { endOf, isAtRest, type TaskEnd, typedEnd, waitingEnd } from "./task-end.ts";
import { streamTask, type TaskStreamEvent } from "./task-stream.ts";
import type { TaskCommit, TaskSnapshot } from "./task-view.ts";
import { observeTreeAsks, type TreeAsk, treeAsks } from "./tree-asks.ts";
import type { UserInput, UserInputValidator } from "./user-input.ts";
import { assertTimes, noWakeUp, noWakeUps } from "./wake-up.ts";

/** Result of queueing a message: its id. */
export type QueueResult = OperationResult<"QUEUE_FULL" | "TASK_CLOSED", { readonly id: string }>;

/** Result of editing a queued message. */
export type EditResult = OperationResult<"QUEUED_UNKNOWN" | "TASK_CLOSED">;

/** Result of switching the mode. */
export type ModeResult = OperationResult<"TASK_CLOSED">;

/** Result of selecting a profile. */
type ProfileResult = OperationResult<"TASK_CLOSED">;

/** Result of a change of what is permitted. `held`: a task holds it back until its open ask about a call is closed. */
export type PermissionsResult = OperationResult<"TASK_CLOSED", { readonly held?: true }>;

/** Result of a request to condense the conversation. */
export type CompactResult = OperationResult<
  /** The task has no conversation that could be condensed. Run it first. */
  "TASK_NOT_STARTED" | "TASK_CLOSED"
>;

/** Result of scheduling a wake-up: its id. */
export type WakeUpResult = OperationResult<
  /** A limit is reached: `wakeUps`, `wakeUpMinMs` or `wakeUpChars`. The message names it. */
  | "WAKE_UP_REFUSED"
  /** The task is a subtask: it ends with its result. Schedule a wake-up of its root task. */
  | "WAKE_UP_OF_SUBTASK"
  | "TASK_CLOSED",
  { readonly id: string }
>;

/** Result of clearing wake-ups. */
export type ClearWakeUpsResult = OperationResult<
  /** The task has no wake-up with this id. Look at `snapshot.context.wakeUps`. */
  "WAKE_UP_UNKNOWN" | "TASK_CLOSED"
>;

/** Result of a pause. */
export type PauseResult = OperationResult<
  /** Neither the task nor an open subtask works. */
  "TASK_AT_REST" | "TASK_CLOSED"
>;

/** A subtask of a task, and how it ended. */
export interface EndedSubtask {
  readonly childTaskId: string;
  readonly end: SubtaskOutcome;
}

/** The parts that a host assembles into a task. */
export interface TaskParts {
  readonly id: string;
  readonly workspace: Pick<Workspace, "root">;
  readonly parent: JournalHeader["parent"];
  readonly dropped: DroppedTail | undefined;
  readonly endedSubtasks: readonly EndedSubtask[];
  /** Position of the last command of its inbox that the journal of a reopened task has; 0 without one. */
  readonly taken: number;
  /** Whether the process of a reopened task ended while it worked. */
  readonly isInterrupted: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Called with the error of a listener. */
  readonly onError: (error: unknown) => void;
  readonly modes: Modes;
  /** @throws HostError `OPTION_INVALID` */
  readonly assertPermissions: (change: PermissionChange) => void;
  /** The permission mode that the restrictions of a subtask leave of this one. */
  permitted(mode: PermissionMode): PermissionMode;
  /** The name that the call of its parent gave a subtask. */
  readonly title: string | undefined;
  readonly input: UserInputValidator;
  /**
   * Select the schema of the next run's result, or none. Returns what then completes the task.
   * @throws HostError `OPTION_INVALID` for a schema that JSON Schema can't express
   */
  selectResult(schema: z.ZodType | undefined): Completion;
  /** Create the actors of the task. */
  createResidency(task: Task): Residency<Task>;
  createBreakpoints(actor: () => Residence["actor"]): Breakpoints;
  /** Open the checkpoints of the workspace, for a person: with large limits. */
  openCheckpoints(): Promise<Checkpoints | CheckpointsOff>;
  /** Close the journal of a passive task that can't be activated. @throws JournalError */
  closeJournal(): Promise<void>;
  /** Resolves when the features of the task do nothing more, after its journal is closed. */
  featuresEnded(): Promise<void>;
  readonly subtasks: Descendants;
}

/** The descendants of a task in its host. */
interface Descendants {
  /** The open ones, in the order of their opening. */
  readonly open: readonly Task[];
  /** Each when it is created or opened, from the subscription on. */
  readonly opened$: Observable<Task>;
  /** Cancel the open ones, synchronously. */
  cancel(): void;
  /** Usage of this many subtasks, including their own subtasks. @throws JournalError */
  usage(children: number): Promise<Usage>;
}

type Untimed<T> = T extends unknown ? Omit<T, "at"> : never;

/**
 * One task: typed commands in, durable commits out. Everything it shows is recorded (L11), and the state derived from
 * its messages is the state of its machine (L1).
 */
export class Task {
  readonly #parts: TaskParts;
  readonly #residency: Residency<Task>;
  #instanceId: string | undefined;
  #breakpoints: Breakpoints | undefined;
  /**
   * The latest list: who still holds it gets the same one, also of a task that was passive in the meantime. A passive subtask
   * holds it: its list is read without a use of the task, as a part of its tree.
   */
  #asks: WeakRef<readonly Ask[]> | readonly Ask[] | undefined;
  #treeAsks: WeakRef<readonly TreeAsk[]> | undefined;
  #observers = 0;
  /** The end of the run that returned with asks, until it is reported. */
  #runEnd: Promise<TaskEnd> | undefined;
  /** Used by hosts only: the asks of the task, by whether somebody receives them. */
  readonly receivedAsks = new ReceivedAsks(this.#openingAsks$);
  #taken: number;
  #isInterrupted: boolean;
  /** Whether a command of the inbox is applied. */
  #isTaking = false;
  #failure: { readonly cause: unknown; readonly ended: Promise<void> } | undefined;
  #closing: Promise<void> | undefined;

  /** Used by hosts only: see `createHost`. */
  constructor(parts: TaskParts) {
    this.#parts = parts;
    this.#taken = parts.taken;
    this.#isInterrupted = parts.isInterrupted;
    this.#residency = parts.createResidency(this);
    this.#residency.start();
  }

  get id(): string {
    return this.#parts.id;
  }

  /** The real path of the workspace. */
  get workspace(): string {
    return this.#parts.workspace.root;
  }

  /** The parent of a subtask, the root task, and the tool call that started the subtask (L16). */
  get parent(): JournalHeader["parent"] {
    return this.#parts.parent;
  }

  /** The name that the call of its parent gave a subtask, for people. */
  get title(): string | undefined {
    return this.#parts.title;
  }

  /** The id of the root task; the task's own id where it is no subtask. */
  get rootId(): string {
    return this.parent?.rootId ?? this.id;
  }

  /** Identifies this opening of the task: a new UUID each time it is opened. */
  get instanceId(): string {
    this.#instanceId ??= crypto.randomUUID();
    return this.#instanceId;
  }

  /** The torn tail of the journal of a reopened task, which was never acknowledged, and where it was saved. */
  get dropped(): DroppedTail | undefined {
    return this.#parts.dropped;
  }

  /** The subtasks whose end this task took over when it was opened: no commit of `events$` has it. */
  get endedSubtasks(): readonly EndedSubtask[] {
    return this.#parts.endedSubtasks;
  }

  /** The messages, oldest first. */
  get log(): Log {
    return this.#residency.view.log;
  }

  /** The state derived from the messages. */
  get state(): AgentStateInfo {
    return this.#residency.view.state;
  }

  /** The machine's snapshot after the latest shown commit: counters, queue, conversation, usage. */
  get snapshot(): TaskSnapshot {
    return this.#residency.view.snapshot;
  }

  /**
   * The asks that can be answered now: the same list until one opens or closes. A completion that was accepted or
   * declined stays here, for a reply.
   */
  get asks(): readonly Ask[] {
    const known = this.#knownAsks;
    // The asks of a passive task do not change.
    if (known !== undefined && this.#residency.resident === undefined) return known;
    return this.#listAsks(this.#residency.use());
  }

  /**
   * The asks of the task and of its open descendants, also of those that no task waits for, each with its path: the same
   * list until one opens or closes. A passive subtask stays passive.
   */
  get treeAsks(): readonly TreeAsk[] {
    const known = this.#treeAsks?.deref();
    const asks = treeAsks([this, ...this.#parts.subtasks.open], known);
    if (asks !== known) this.#treeAsks = new WeakRef(asks);
    return asks;
  }

  /** The present state, then the state after each commit that changed the messages. */
  get state$(): Observable<AgentStateInfo> {
    return this.#contained(this.#residency.view.state$);
  }

  /** Each message when it is appended, and again after each change. */
  get messages$(): Observable<ClineMessage> {
    return this.#contained(this.#residency.view.messages$);
  }

  /**
   * One commit for each macrostep, in order, once it is durable. A journal that fails gives one that is not: the task is
   * at rest, and the commit has no completion. Completes when the task is closed.
   */
  get events$(): Observable<TaskCommit> {
    return this.#contained(this.#residency.view.events$);
  }

  /**
   * The open ask, then each ask when it can be answered, once. A completion that was accepted or declined is in `asks`
   * only. A run goes on waiting for the answer to an ask that a subscriber has received.
   */
  get asks$(): Observable<Ask> {
    return this.#contained(this.receivedAsks.received$);
  }

  get #openingAsks$(): Observable<Ask> {
    return defer(() => {
      const opened = this.#residency.openedAsks$.pipe(
        map((handle) => this.asks.find(({ id }) => id === handle.askId) ?? this.#createAsk(handle)),
      );
      return merge(
        opened,
        defer(() => this.asks),
      );
    }).pipe(filter((ask) => !isReplyOnly(ask)));
  }

  /** The open asks of the task and of its descendants, then each when it can be answered, once. */
  get treeAsks$(): Observable<TreeAsk> {
    return this.#contained(observeTreeAsks(this, this.#parts.subtasks));
  }

  /**
   * Start the task, or continue a task at rest, and resolve when it settles. For a task at rest on a failed request this
   * is a retry.
   *
   * An ask holds up the run until it is answered: by `onAsk`, or by a subscriber of `asks$` or `treeAsks$`. With neither,
   * `run` resolves with the state `waiting_for_input` and the `asks`; go on with {@link resume}.
   *
   * With `result`, the model must call `attempt_completion` with a value that the schema accepts: that is `value` of the
   * end. It gets the errors of any other value; `limits.mistakes` of them in a row are an ask. The schema holds until the
   * next run, and must be passed again when the task is reopened.
   *
   * Without a prompt, an interrupted, failed or mistaken task continues. An abort of `signal` cancels the task; `run`
   * resolves with where it settles.
   * @throws HostError `TASK_BUSY` while the task works, waits for an answer, or is at rest on an ask that takes no prompt,
   * or needs one; `TASK_CLOSED` when it is closed before it settles; `TASK_BROKEN` when it broke an invariant;
   * `OPTION_INVALID` for invalid text or images, a schema that JSON Schema can't express, or a new task without a prompt
   * @throws JournalError when the journal can't be written: the task is at rest, and nothing since the last record counts
   * @throws the reason of `signal` if it aborts before the task has started to work
   */
  run<T>(
    prompt: string | undefined,
    options: RunOptions & { readonly result: z.ZodType<T> },
  ): Promise<TaskEnd & { readonly value?: T }>;
  run(prompt?: string, options?: RunOptions): Promise<TaskEnd>;
  async run<T>(
    prompt?: string,
    { images = [], ...options }: ResultOptions<T> = {},
  ): Promise<TaskEnd & { readonly value?: T }> {
    const isResume = prompt === undefined && images.length === 0;
    const input = isResume ? undefined : this.#parts.input.parse("prompt", { text: prompt ?? "", images });
    return this.#whileOpen(options, () => this.#run(input, options));
  }

  /**
   * Go on where `run` returned because the task waits for an answer, and resolve as `run` does, with the end of that run also
   * where it came first. Any other task at rest continues as by `run` without a prompt.
   *
   * @param answers Answers by the ids of the asks, which may be asks of subtasks. Empty where the asks' methods answered.
   * @example
   * ```ts
   * import { anthropic, createHost } from "signalbox";
   * const host = createHost({ dataDir: "./tasks" });
   * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-6" }), workspace: "." });
   * let end = await task.run("Make the tests pass");
   * while (end.asks) end = await task.resume({ [end.asks[0].id]: { kind: "no", text: "Only read." } });
   * ```
   * @throws HostError as {@link run}, and `ANSWER_REFUSED`
   */
  async resume<T = unknown>(
    answers: Readonly<Record<number, Answer>> = {},
    options: Omit<ResultOptions<T>, "images"> = {},
  ): Promise<TaskEnd & { readonly value?: T }> {
    return this.#whileOpen(options, () => {
      for (const [askId, answer] of Object.entries(answers)) this.#answerInTree(Number(askId), answer);
      if (this.#runEnd !== undefined) return this.#endOrAsks(this.#runEnd, options.onAsk);
      const { value } = this.#residency.use().actor.getSnapshot();
      return value === "no_task" || isAtRest(value)
        ? this.#run(undefined, options)
        : this.#nextEnd(options.onAsk);
    });
  }

  async #whileOpen<T>(
    { signal, result }: ResultOptions<T>,
    work: () => Promise<TaskEnd>,
  ): Promise<TaskEnd & { readonly value?: T }> {
    this.#assertOpen();
    const end = await cancelledBy(signal, () => this.cancelFor("signal"), work);
    return result === undefined ? end : typedEnd(end, result);
  }

  #answerInTree(askId: number, answer: Answer): void {
    const asks = (task: Task) => task.asks.some(({ id }) => id === askId);
    const result = (this.#parts.subtasks.open.find(asks) ?? this).answer(askId, answer);
    if (!result.ok) throw new HostError("ANSWER_REFUSED", result.message);
  }

  async #run(
    input: UserInput | undefined,
    { onAsk, signal, result }: ResultOptions<unknown>,
  ): Promise<TaskEnd> {
    const { value } = this.#residency.use().actor.getSnapshot();
    if (value === "no_task") {
      if (input === undefined)
        throw new HostError("OPTION_INVALID", `Task ${this.id} is new: expected a prompt, got none.`);
      this.#selectResult(result);
      const end = this.#nextEnd(onAsk);
      this.#send({ type: "task.start", ...input });
      return end;
    }
    if (!isAtRest(value)) throw this.#busy(`is ${this.state.state}`);
    // Its ask can be answered only once the commit that settled it is durable.
    await this.flushed();
    this.#assertOpen();
    signal?.throwIfAborted();
    // A queued message may have continued it in the meantime.
    if (!isAtRest(this.#residency.use().actor.getSnapshot().value))
      throw this.#busy(`is ${this.state.state}`);
    this.#selectResult(result);
    return this.#continue(input, onAsk);
  }

  /** Select what completes the next run: a result that the schema accepts, or what the task's options say. */
  #selectResult(result: z.ZodType | undefined): void {
    const completion = this.#parts.selectResult(result);
    if (this.#residency.use().actor.getSnapshot().context.completion !== completion)
      this.#send({ type: "completion.selected", completion });
  }

  /**
   * The events of one run: deltas of text and thinking, tool calls, asks, states, the result as the last one. The task
   * starts with the first read. A reader that is slow holds up nothing: deltas of one message wait as one; one that
   * leaves the loop does not cancel the task.
   *
   * @example
   * ```ts
   * import { anthropic, createHost } from "signalbox";
   * const host = createHost({ dataDir: "./tasks" });
   * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-6" }), workspace: "." });
   * for await (const event of task.stream("Make the tests pass")) {
   *   if (event.type === "text") console.log(event.text);
   *   if (event.type === "ask" && event.ask.kind === "tool") event.ask.approve();
   * }
   * ```
   * @throws as {@link run}, after the events until then
   */
  stream<T>(
    prompt: string | undefined,
    options: RunOptions & { readonly result: z.ZodType<T> },
  ): AsyncGenerator<TaskStreamEvent<TaskEnd & { readonly value?: T }>, void>;
  stream(prompt?: string, options?: RunOptions): AsyncGenerator<TaskStreamEvent, void>;
  stream(prompt?: string, options?: ResultOptions<unknown>): AsyncGenerator<TaskStreamEvent, void> {
    return streamTask(this, this.#parts.subtasks, prompt, options);
  }

  /**
   * Resolve when the task settles next, however long it waits for answers.
   * @throws HostError `TASK_CLOSED`, `TASK_BROKEN`
   * @throws JournalError when the journal can't be written
   */
  async settled(): Promise<TaskEnd> {
    this.#assertOpen();
    return firstValueFrom(this.#ends$);
  }

  /**
   * Queue a message. It goes with the next request, answers no ask and approves nothing (L7).
   * @throws HostError `OPTION_INVALID` for invalid text or images
   */
  queue(text: string, images: readonly string[] = []): QueueResult {
    const input = this.#parts.input.parse("message", { text, images });
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    const id = this.#parts.newId();
    const { queue, limits } = this.#residency.use().actor.getSnapshot().context;
    // A message that ends the wait for subtasks is delivered at once.
    this.#send({ type: "queue.added", item: { id, ...input } });
    if (queue.length < limits.queued) return { ok: true, id };
    const message = `The queue of task ${this.id} holds ${limits.queued} messages, its limit \`queued\`: remove one, or wait.`;
    return { ok: false, code: "QUEUE_FULL", message };
  }

  /**
   * Edit a queued message; its position stays. Without `images` it keeps its images; an empty list removes them.
   * @throws HostError `OPTION_INVALID` for invalid text or images
   */
  editQueued(id: string, text: string, images?: readonly string[]): EditResult {
    const input = this.#parts.input.parse("message", { text, images: images ?? [] });
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    const { queue } = this.#residency.use().actor.getSnapshot().context;
    if (!queue.some((item) => item.id === id))
      return { ok: false, code: "QUEUED_UNKNOWN", message: notQueued(id, queue) };
    this.#send({ type: "queue.edited", id, text: input.text, ...(images !== undefined && { images }) });
    return { ok: true };
  }

  /** Remove a queued message. */
  unqueue(id: string): void {
    this.#send({ type: "queue.removed", id });
  }

  /** Open the checkpoints of the task's workspace, to compare and restore its files. Restore them only while it rests. */
  openCheckpoints(): Promise<Checkpoints | CheckpointsOff> {
    return this.#parts.openCheckpoints();
  }

  /** The modes that the task can be switched to, the built-in ones first. */
  get modes(): readonly Pick<Mode, "slug" | "name">[] {
    return this.#parts.modes.list;
  }

  /**
   * Switch the mode. The next request has its role, instructions and tools, and calls that have not started are judged by
   * it. The mode is recorded and is the same after the task is reopened.
   * @throws HostError `OPTION_INVALID` for anything but the slug of a mode
   */
  switchMode(slug: string): ModeResult {
    assertMode(slug, this.#parts.modes);
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    this.#send({ type: "mode.switched", mode: slug });
    return { ok: true };
  }

  /**
   * Select a model by its profile: from the next request on, until a mode with a profile of its own is selected, and again
   * in every mode without one. An open request keeps its model. The selection is recorded and is the same after the task
   * is reopened.
   * @throws HostError `OPTION_INVALID` for anything but the name of a profile
   */
  selectProfile(name: string): ProfileResult {
    assertProfile(name, profileNames(this.snapshot.context.profiles));
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    this.#send({ type: "profile.selected", name });
    return { ok: true };
  }

  /**
   * Change what is permitted, for this task and its descendants that are open or being opened. What is absent stays; `{}`: the
   * policy has changed. Calls that have not started are judged again, also the one that is asked about: its ask is withdrawn, and it starts only
   * with an answer. A change that only permits more is held while a call is asked about, and applies when the ask is closed:
   * `snapshot.context.permissions.held` (law GATE). A subtask keeps the restrictions of the call that started it (law GRANT).
   * @param given The change, or a function that computes it from the newest permissions. `snapshot` has durable changes only:
   *   a change that is computed from it could undo a newer one.
   * @throws HostError `OPTION_INVALID` for a mode or a rule that does not exist
   * @throws JournalError where a passive task can't be activated
   */
  changePermissions(
    given: PermissionChange | ((newest: Required<PermissionChange>) => PermissionChange),
  ): PermissionsResult {
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    const change = typeof given === "function" ? given(this.permissions) : given;
    this.#parts.assertPermissions(change);
    const { level, rules } = change;
    for (const task of [this, ...this.#parts.subtasks.open]) {
      const mode = level && task.#parts.permitted(level);
      const changed = { ...(mode !== undefined && { mode }), ...(rules !== undefined && { rules }) };
      task.#send({ type: "permissions.changed", ...changed });
    }
    const isHeld = [this, ...this.#parts.subtasks.open].some((task) => task.#holdsPermissions);
    return { ok: true, ...(isHeld && { held: true }) };
  }

  /** The permissions after the newest event: the commit that has it may still be written. */
  get permissions(): Required<PermissionChange> {
    return permissionsOf(this.#residency.use().actor.getSnapshot().context.permissions);
  }

  /**
   * Condense the conversation with the next request: the model summarizes all but the newest turns. Until then
   * `snapshot.context.compaction` has the state `requested`, also after the task is reopened.
   * @param instructions What the summary must contain besides the usual.
   * @throws HostError `OPTION_INVALID` for invalid text
   */
  compact(instructions = ""): CompactResult {
    const { text } = this.#parts.input.parse("instructions", { text: instructions, images: [] });
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    this.#send({ type: "compact.requested", instructions: text });
    const { compaction } = this.#residency.use().actor.getSnapshot().context;
    if (compaction?.state === "requested") return { ok: true };
    const message = `Task ${this.id} has no conversation to condense: run it first.`;
    return { ok: false, code: "TASK_NOT_STARTED", message };
  }

  get #holdsPermissions(): boolean {
    return this.#residency.use().actor.getSnapshot().context.permissions.held !== undefined;
  }

  /** Answer the ask with this id. A refusal has a code and changes nothing. */
  answer(askId: number, answer: Answer): AnswerResult {
    const { asks } = this.#residency.use();
    const handle = asks.open.find((open) => open.askId === askId);
    if (handle !== undefined) return this.#parts.input.answer(handle, answer);
    const result = asks.answer(askId, answer);
    return !result.ok && result.code === "ASK_UNKNOWN" ? (this.#lateAnswer(askId) ?? result) : result;
  }

  /** The task's breakpoints: they hold its actors' events before the machine processes them. */
  get breakpoints(): Breakpoints {
    this.#breakpoints ??= this.#parts.createBreakpoints(() => this.#residency.use().actor);
    return this.#breakpoints;
  }

  /**
   * Observe XState's inspection events of the task's actors as they happen, before they are durable. The returned
   * function unsubscribes. Without an observer there is no cost; with one, the task is not passivated.
   */
  inspect(observer: (event: InspectionEvent) => void): () => void {
    const { onError } = this.#parts;
    const contained = (event: InspectionEvent): void => callContained(() => observer(event), onError);
    const subscription = this.#residency.use().actor.system.inspect(contained);
    this.#observers += 1;
    let isObserving = true;
    return () => {
      if (!isObserving) return;
      isObserving = false;
      subscription.unsubscribe();
      this.#observers -= 1;
      this.#residency.use();
    };
  }

  /**
   * Pause the task and its subtasks (law PAUSE). Each finishes its turn: an open response and a running call end, an
   * open ask waits for its answer. Before its next request it rests in `resumable`, on an ask to resume whose message
   * has the reason `paused`; a yes, a text or {@link run} resumes it, and the subtask that it waits for, with nothing
   * repeated. Until then `snapshot.context.pause` is `asked`. A cancel, a completion or a failure ends a pause.
   * @throws JournalError where a passive task can't be activated
   */
  pause(): PauseResult {
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    const working = [this, ...this.#parts.subtasks.open].filter((task) => task.hasWork);
    for (const task of working) task.#send({ type: "task.pause" });
    if (working.length > 0) return { ok: true };
    const message = `Task ${this.id} is at rest: there is nothing to pause.`;
    return { ok: false, code: "TASK_AT_REST", message };
  }

  /**
   * Schedule a wake-up: at that time the task continues with the message, if it is at rest, else when it is at rest next
   * (law WAKE). Its host must have it open; a time that passed while it was not open counts once, when it is opened.
   * `snapshot.context.wakeUps` lists the wake-ups of the task.
   * @param time Milliseconds since 1970, or a date
   * @throws HostError `OPTION_INVALID` for an invalid time, interval or message
   */
  wakeAt(
    time: number | Date,
    message: string,
    { everyMs }: { readonly everyMs?: number } = {},
  ): WakeUpResult {
    const { text } = this.#parts.input.parse("message", { text: message, images: [] });
    const times = assertTimes(time, everyMs);
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    if (this.parent !== undefined) return { ok: false, code: "WAKE_UP_OF_SUBTASK", message: noWakeUps(this) };
    const wakeUp = { id: this.#parts.newId(), ...times, message: text };
    const fault = wakeUpFault(this.#residency.use().actor.getSnapshot().context, wakeUp);
    if (fault !== undefined) return { ok: false, code: "WAKE_UP_REFUSED", message: fault };
    this.#send({ type: "wake.scheduled", wakeUp });
    return { ok: true, id: wakeUp.id };
  }

  /** Clear the wake-up with this id; without one, all. A task at rest then waits for a person. */
  clearWakeUps(id?: string): ClearWakeUpsResult {
    const ended = this.#endError();
    if (ended !== undefined) return { ok: false, code: "TASK_CLOSED", message: ended.message };
    const { wakeUps } = this.#residency.use().actor.getSnapshot().context;
    if (id !== undefined && !wakeUps.some((wakeUp) => wakeUp.id === id))
      return { ok: false, code: "WAKE_UP_UNKNOWN", message: noWakeUp(this.id, id, wakeUps) };
    this.#send({ type: "wake.cleared", ...(id !== undefined && { id }) });
    return { ok: true };
  }

  /** Used by hosts only: continue the task at a due time, if it is at rest. @throws JournalError as `cancel` does */
  wake(): void {
    if (this.isOpen) this.#send({ type: "wake.due" });
  }

  /** Used by hosts only: when the task, as it is, continues without a person, in ms since 1970. @throws JournalError */
  get wakesAt(): number | undefined {
    return wakeTime(this.#residency.use().actor.getSnapshot().context);
  }

  /** Used by hosts only: whether the task has started and is not at rest. A passive task stays passive. */
  get hasWork(): boolean {
    return this.#residency.hasWork;
  }

  /** Used by hosts only: pause a subtask that works, if its parent is paused and it is not. */
  pauseWith(waiting: Task): void {
    if (waiting.isPaused && this.hasWork && !this.isPaused) this.#send({ type: "task.pause" });
  }

  /** Used by hosts only: whether the task, which has actors, was paused and not resumed since. It may not rest yet. */
  get isPaused(): boolean {
    return (this.#residency.resident?.actor.getSnapshot().context.pause ?? null) !== null;
  }

  /**
   * Cancel the task and its open descendants, those included that no task waits for: each settles at once, from any
   * state (L10). A subtask that is being created is closed without a request.
   * @throws JournalError where a passive task can't be activated; its descendants are cancelled
   */
  cancel(): void {
    this.cancelFor("user");
  }

  /** Used by hosts only: cancel the task for another than the user. @throws JournalError as `cancel` does */
  cancelFor(origin: CancelOrigin): void {
    try {
      this.#send({ type: "task.cancel", origin });
    } finally {
      this.#parts.subtasks.cancel();
    }
  }

  /** Resolve when every commit so far is durable and shown. @throws JournalError */
  flushed(): Promise<void> {
    return this.#residency.flushed();
  }

  /**
   * Usage of the task and all its subtasks: tokens and US dollars. `TaskEnd` and `snapshot` count the task's own
   * requests only.
   * @throws JournalError where a subtask's journal can't be read
   */
  async totalUsage(): Promise<Usage> {
    const { total, children } = this.snapshot.context;
    return addUsage(total, await this.#parts.subtasks.usage(children));
  }

  /**
   * Cancel, wait until all effects have ended and all commits are written, and close the task with its open subtasks.
   * The log stays readable.
   * @throws JournalError when a commit could not be written
   */
  close(): Promise<void> {
    return this.closeFor("close");
  }

  /** Used by hosts only: close the task for the one that `origin` names. @throws JournalError as `close` does */
  closeFor(origin: CancelOrigin): Promise<void> {
    this.#closing ??= this.#end(origin);
    return this.#closing;
  }

  /** Used by hosts only: stop the effects of a task that can't continue. */
  fail(cause: unknown): void {
    if (this.#closing !== undefined || this.#failure !== undefined) return;
    const residence = this.#residency.use();
    const { actor } = residence;
    // XState stops the children of an actor that stops, but not of one that threw; this is the event it sends them.
    for (const child of Object.values(actor.getSnapshot().children)) child?.send({ type: "xstate.stop" });
    actor.stop();
    const ended = this.#endEffects(residence);
    // `close` reports the error; it may never be called.
    ended.catch(() => undefined);
    this.#failure = { cause, ended };
  }

  /**
   * Used by hosts only: stop the task as the end of its process would. Commits that are not written yet are dropped, also those that
   * a close has made.
   * @throws JournalError of a write that has failed
   */
  abandon(reason: Error): Promise<void> {
    this.fail(reason);
    this.#residency.resident?.gate.abandon();
    return this.close();
  }

  /**
   * Used by hosts only: position of the last command of its inbox that the task has taken. It is durable once the task is
   * flushed.
   */
  get taken(): number {
    return this.#taken;
  }

  /** Used by hosts only: whether its process ended while it worked, and it has taken no command since it was opened. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /**
   * Used by hosts only: take a command of the task's inbox. What `apply` does, by at most one event, is recorded together
   * with the position of the command, so that it is taken once. `apply` returns the code of a refusal.
   * @throws HostError `TASK_CLOSED`, `TASK_BROKEN` @throws JournalError where a passive task can't be activated
   */
  take(position: number, apply: () => string | undefined): void {
    this.#assertOpen();
    if (position <= this.#taken)
      throw new Error(`Expected a position after ${this.#taken}, got ${position}. Read the inbox after it.`);
    const { gate } = this.#residency.use();
    this.#isTaking = true;
    try {
      gate.take(position, () => {
        const refused = apply();
        if (refused === undefined) this.#isInterrupted = false;
        return refused;
      });
    } finally {
      this.#isTaking = false;
      this.#taken = Math.max(this.#taken, gate.taken);
    }
  }

  /** Used by hosts only: start a new task, without a run that waits for its end. @throws HostError `OPTION_INVALID` */
  start(prompt: string, images: readonly string[]): void {
    const input = this.#parts.input.parse("prompt", { text: prompt, images });
    this.#selectResult(undefined);
    this.#send({ type: "task.start", ...input });
  }

  /** Used by hosts only: pass an event of an actor to the machine, now or when its breakpoint is passed. */
  pass(event: { readonly type: string; readonly callId?: string }, deliver: () => void): void {
    // A command of the inbox is not held: its record has its position.
    if (this.#breakpoints === undefined || this.#isTaking) deliver();
    else this.#breakpoints.pass(event, deliver);
  }

  /** Used by hosts only: complete the streams of a task whose gate has closed. */
  endStreams(): void {
    this.#residency.view.end();
  }

  /** Used by hosts only: whether the task takes commands. */
  get isOpen(): boolean {
    return this.#endError() === undefined;
  }

  /** Used by hosts only: whether a cancel may stop something. A passive task stays passive. */
  get isWorking(): boolean {
    const snapshot = this.#residency.resident?.actor.getSnapshot();
    if (snapshot === undefined) return this.hasWork;
    return !(isAtRest(snapshot.value) && isPassivatable(snapshot));
  }

  /** Used by hosts only: whether the task waits for an answer and does nothing else. A passive task stays passive. */
  get isWaiting(): boolean {
    return this.#residency.resident === undefined ? this.hasWork : this.state.isWaitingForInput;
  }

  /** Used by hosts only: whether an observer or a breakpoint depends on the task's actors. */
  get isInspected(): boolean {
    return this.#observers > 0 || this.#breakpoints?.isIdle === false;
  }

  /**
   * Used by hosts only: release the actors and buffers of a task for which nothing works but its open ask (law PASSIVE).
   * The next command, answer or read creates them again. Resolves with whether the task is passive now; it keeps its
   * actors where the copy of its messages can't be written.
   */
  passivate(): Promise<boolean> {
    const { resident } = this.#residency;
    const isSubtask = this.parent !== undefined;
    if (resident !== undefined && (isSubtask || this.#knownAsks !== undefined)) {
      const asks = this.#listAsks(resident);
      if (isSubtask) this.#asks = asks;
    }
    return this.#residency.passivate();
  }

  /** Cancels the task synchronously. A passive task that can't be activated is closed as it is. */
  async #end(origin: CancelOrigin): Promise<void> {
    let residence: Residence;
    try {
      residence = this.#residency.use();
    } catch (error) {
      this.endStreams();
      await this.#parts.closeJournal();
      throw error;
    }
    const { actor, gate } = residence;
    this.cancelFor(origin);
    try {
      await (this.#failure?.ended ?? this.#endEffects(residence));
    } finally {
      actor.stop();
      // The close may be what settles the task.
      await gate.close().finally(() => this.#parts.featuresEnded());
    }
  }

  async #endEffects({ endEffects, close }: Residence): Promise<void> {
    try {
      await endEffects();
    } finally {
      close();
      this.#breakpoints?.close();
    }
  }

  #send(event: Untimed<UserEvent | WakeEvent>): void {
    const { actor } = this.#residency.use();
    if (actor.getSnapshot().status !== "active") return;
    // The machine freezes its events: the caller's objects stay unfrozen.
    actor.send({ ...structuredClone(event), at: this.#parts.clock.now() });
  }

  /** The error of a listener affects neither the task nor the other listeners. */
  #contained<T>(source: Observable<T>): Observable<T> {
    return new ContainedObservable(source, this.#parts.onError);
  }

  get #knownAsks(): readonly Ask[] | undefined {
    return this.#asks instanceof WeakRef ? this.#asks.deref() : this.#asks;
  }

  #listAsks({ asks: { open }, actor }: Residence): readonly Ask[] {
    const known = this.#knownAsks;
    const asks = askList(open, known, (handle) => this.#createAsk(handle, actor));
    if (asks !== known) this.#asks = new WeakRef(asks);
    return asks;
  }

  #createAsk(handle: AskHandle, actor = this.#residency.use().actor): Ask {
    const { context } = actor.getSnapshot();
    const answer = (given: Answer) => this.#answer(handle, given);
    return frozen(createAsk({ ...handle, answer }, askFacts(context, handle)));
  }

  /** Answer an ask by a handle that may be of an earlier residence. */
  #answer(handle: AskHandle, answer: Answer): AnswerResult {
    const open = this.#residency.use().asks.open.find(({ askId }) => askId === handle.askId);
    const isSame = open !== undefined && open.accepts.length === handle.accepts.length;
    const result = this.#parts.input.answer(isSame ? open : handle, answer);
    return !result.ok && result.code === "ASK_CLOSED" ? (this.#lateAnswer(handle.askId) ?? result) : result;
  }

  /** The result of an answer to an ask that its message shows as closed. */
  #lateAnswer(askId: number): AnswerResult | undefined {
    const { log } = this.#residency.view;
    const { ask, closing } = log.at(positionOf(log, askId)) ?? {};
    if (closing === undefined || !isAskType(ask)) return undefined;
    const wasAnswered = closing === "answered" || closing === "expired";
    return lateAnswer(wasAnswered ? "settled" : "closed", { askId, ask });
  }

  /** Answer the open ask of the task at rest. */
  #continue(input: UserInput | undefined, onAsk: RunOptions["onAsk"]): Promise<TaskEnd> {
    const handle = this.#residency.use().asks.open.at(-1);
    if (handle === undefined) throw this.#busy(`is ${this.state.state} and its ask is not open`);
    const { ask } = handle;
    const answer = continuation(ask, handle.accepts, input);
    if (answer === undefined)
      throw this.#busy(
        `is at rest on ask ${handle.askId} (${ask}), which ${input === undefined ? "needs a prompt" : "takes no text"}`,
      );
    const end = this.#nextEnd(onAsk);
    const result = this.#parts.input.answer(handle, answer);
    if (result.ok) return end;
    end.catch(() => undefined);
    throw this.#busy(`rejected the prompt: ${result.message}`);
  }

  #busy(why: string): HostError {
    const message = `Task ${this.id} ${why}: wait until it settles, answer its ask, cancel it, or queue the message.`;
    return new HostError("TASK_BUSY", message);
  }

  #assertOpen(): void {
    const ended = this.#endError();
    if (ended !== undefined) throw ended;
  }

  #endError(): HostError | undefined {
    if (this.#failure !== undefined) return brokenError(this.id, this.#failure.cause);
    if (this.#closing === undefined) return undefined;
    return new HostError("TASK_CLOSED", `Task ${this.id} is closed: open it again to continue.`);
  }

  /** Resolves with the next end of the task, or with the asks that nobody answers. */
  #nextEnd(onAsk: RunOptions["onAsk"]): Promise<TaskEnd> {
    const end = firstValueFrom(this.#ends$);
    // It may be reported later, or never.
    end.catch(() => undefined);
    this.#runEnd = end;
    return this.#endOrAsks(end, onAsk);
  }

  #endOrAsks(runEnd: Promise<TaskEnd>, onAsk: RunOptions["onAsk"]): Promise<TaskEnd> {
    const reported = (): void => {
      if (this.#runEnd === runEnd) this.#runEnd = undefined;
    };
    const end = from(runEnd).pipe(tap({ next: reported, error: reported }));
    const asks = onAsk === undefined ? this.#waitingEnds$ : answeredBy(onAsk, this.treeAsks$);
    return firstValueFrom(merge(end, asks));
  }

  get #ends$(): Observable<TaskEnd> {
    return this.events$.pipe(
      filter(({ commit, failure }) => failure !== undefined || hasRested(commit)),
      map(({ snapshot, failure }) => {
        if (failure !== undefined) throw failure;
        return endOf(snapshot);
      }),
      throwIfEmpty(() => this.#unsettled()),
    );
  }

  get #waitingEnds$(): Observable<TaskEnd> {
    return unansweredAsks<Task>(this, this.#parts.subtasks).pipe(
      map((asks) => waitingEnd(this.snapshot, asks)),
    );
  }

  #unsettled(): HostError {
    if (this.#failure !== undefined) return brokenError(this.id, this.#failure.cause);
    return new HostError("TASK_CLOSED", `Task ${this.id} was closed before it settled.`);
  }
}

const hasRested = ({ reports }: TaskCommit["commit"]): boolean =>
  reports.some(({ type }) => type === "task.rested");

function brokenError(id: string, cause: unknown): HostError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HostError("TASK_BROKEN", `Task ${id} can't continue in this process: ${reason}`, cause);
}

function notQueued(id: string, queue: readonly QueuedMessage[]): string {
  const ids = queue.map((item) => item.id).join(", ") || "none";
  return `The queue has no message ${id} (present: ${ids}). It may have been sent already.`;
}

/** Whether the ask is a completion that was accepted or declined: it was offered before and takes a reply only. */
const isReplyOnly = ({ kind, accepts }: Ask): boolean => kind === "completion" && !accepts.includes("yes");
