import { defer, filter, firstValueFrom, map, merge, Observable, Subject, takeUntil } from "rxjs";
import type { AnswerResult, AskHandle } from "../../actors/ask/open-asks.ts";
import { type Answer, ASK_KINDS, isAskType } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import { endErrorOf } from "../../machines/message/end-error.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { resultOf } from "../../machines/message/result.ts";
import { isAtRest } from "../../machines/message/states.ts";
import { type Ask, createAsk } from "../../runtime/task/ask.ts";
import { askList } from "../../runtime/task/ask-list.ts";
import type { PermissionChange } from "../../runtime/task/permission-change.ts";
import {
  answeredBy,
  answeredWhereShown,
  cancelledBy,
  continuation,
  type RunOptions,
} from "../../runtime/task/run.ts";
import type {
  CompactResult,
  EditResult,
  ModeResult,
  PermissionsResult,
  QueueResult,
} from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";
import type { UserInput } from "../../runtime/task/user-input.ts";
import type { ParsedJsonEvent } from "../../wire/ndjson/event.ts";
import { ExtensionClient } from "../roo/extension/extension-client.ts";
import { shownCall } from "../shown-call.ts";
import { UsageMeter } from "../usage-meter.ts";
import { Capabilities } from "./capabilities.ts";
import { type CommandWithoutId, PendingCommands } from "./pending-commands.ts";
import { linesOf, type OutputLine, type RemoteProcess } from "./process-output.ts";
import { RemoteAsks } from "./remote-asks.ts";
import { RemoteError } from "./remote-error.ts";
import type { TaskInterface } from "./task-interface.ts";

/**
 * A task in another process with the interface of a local one: the same messages, states and asks. Created by
 * {@link connect}.
 *
 * An answer is accepted if its ask is open here, and sent once. If the ask was answered elsewhere before, the process
 * refuses the answer: `refusals$` has the refusal.
 */
export class RemoteTask implements TaskInterface {
  /** Refusals that no promise reports, such as the refusal of a late answer. */
  readonly refusals$: Observable<RemoteError>;
  /** Each event of the process's output. */
  readonly lines$: Observable<ParsedJsonEvent>;
  readonly #process: RemoteProcess;
  readonly #requests: PendingCommands;
  readonly #client = new ExtensionClient({
    // This client reads messages only; the one message that it sends is its launch.
    sendMessage: (message) => message.type === "webviewDidLaunch" && this.#launch(message.takes),
  });
  readonly #capabilities = new Capabilities();
  readonly #asks: RemoteAsks;
  #askList: readonly Ask[] = [];
  /** The task of the process: the first one that was shown, or another one that is no subtask of it. */
  #taskId: string | undefined;
  readonly #refusals = new Subject<RemoteError>();
  readonly #lines = new Subject<ParsedJsonEvent>();
  readonly #ended = new Subject<RemoteError>();
  readonly #closed: Promise<void>;
  #end: RemoteError | undefined;

  constructor(process: RemoteProcess) {
    this.#process = process;
    this.#requests = new PendingCommands(process.stdin);
    this.#asks = new RemoteAsks((askId, answer) => this.#sendAnswer(askId, answer));
    this.refusals$ = this.#refusals.asObservable();
    this.lines$ = this.#lines.asObservable();
    // A process with this capability sends growths of streaming messages.
    this.#capabilities.has("stdin:launch").then((isOffered) => isOffered && this.#client.launch(), nothing);
    this.#client.state$.subscribe((state) => {
      if (!this.#showsSubtask()) this.#taskId = this.#client.getTaskId();
      this.#asks.update(state);
    });
    linesOf(process.stdout).subscribe({
      next: (line) => this.#take(line),
      error: (error: RemoteError) => this.#endWith(error),
    });
    // A write to an ended process fails; its end is reported on its own.
    process.stdin.on("error", () => undefined);
    this.#closed = new Promise((resolve) => {
      process.once("close", (code, signal) => {
        this.#endWith(ended(code, signal));
        resolve();
      });
      // The process did not start; Node emits close after this.
      process.once("error", (error) => this.#endWith(notStarted(error)));
    });
  }

  get log(): readonly ClineMessage[] {
    return this.#client.getMessages();
  }

  get state(): AgentStateInfo {
    return this.#client.getAgentState();
  }

  get state$(): Observable<AgentStateInfo> {
    return this.#client.state$.pipe(takeUntil(this.#ended));
  }

  get messages$(): Observable<ClineMessage> {
    // A new message is emitted by both.
    const seen = new WeakSet<ClineMessage>();
    return merge(this.#client.events$("messageUpdated"), this.#client.events$("message")).pipe(
      filter((message) => !seen.has(message) && seen.add(message).has(message)),
      takeUntil(this.#ended),
    );
  }

  get asks(): readonly Ask[] {
    this.#askList = askList(this.#asks.openAsks.open, this.#askList, (handle) => this.#createAsk(handle));
    return this.#askList;
  }

  get asks$(): Observable<Ask> {
    const { openAsks } = this.#asks;
    return new Observable<AskHandle>((subscriber) => {
      for (const handle of openAsks.open) subscriber.next(handle);
      return openAsks.opened$.subscribe(subscriber);
    }).pipe(
      map((handle) => this.asks.find(({ id }) => id === handle.askId) ?? this.#createAsk(handle)),
      takeUntil(this.#ended),
    );
  }

  /**
   * Start the task, or continue it at rest, and resolve when it settles, however long it waits for answers: give them in
   * `onAsk`, or to the asks of `asks$`. Without a prompt, an interrupted, failed or mistaken task continues. An abort of `signal` cancels the task.
   * @throws RemoteError `COMMAND_REFUSED` while it works or waits for an answer, `PROCESS_ENDED`
   */
  async run(
    prompt?: string,
    { images = [], signal, onAsk = answeredWhereShown }: RunOptions = {},
  ): Promise<TaskEnd> {
    const input = prompt === undefined && images.length === 0 ? undefined : { text: prompt ?? "", images };
    return cancelledBy(
      signal,
      () => this.cancel(),
      () =>
        firstValueFrom(
          merge(
            defer(() => this.#run(input)),
            this.#answeredBy(onAsk),
          ),
        ),
    );
  }

  #answeredBy(onAsk: NonNullable<RunOptions["onAsk"]>): Observable<never> {
    const path = () => (this.#showsSubtask() ? ["", ""] : [""]);
    return answeredBy(onAsk, this.asks$.pipe(map((ask) => ({ path: path(), ask }))));
  }

  async #run(given: UserInput | undefined): Promise<TaskEnd> {
    const end = this.settled();
    // The command may fail before the task settles.
    end.catch(() => undefined);
    const input = { prompt: given?.text ?? "", images: [...(given?.images ?? [])] };
    if (this.state.state === "no_task") {
      // The command is done after the task has settled.
      this.#requests.send({ command: "start", ...input }).catch((error: RemoteError) => {
        if (error.reason !== undefined) this.#refusals.next(error);
      });
      return end;
    }
    const ask = this.asks.at(-1);
    if (ask === undefined) throw busy(this.state.state);
    const answer = continuation(ask.type, ask.accepts, given);
    if (answer === undefined) throw busy(this.state.state);
    const command = answer.kind === "text" ? "message" : "approve";
    await this.#requests.send({ command, askId: ask.id, ...input });
    return end;
  }

  /** Resolve when the task settles next. @throws RemoteError `PROCESS_ENDED` */
  settled(): Promise<TaskEnd> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const since = this.state.lastMessageTs ?? 0;
    const ends = this.#client.state$.pipe(
      // A subtask may rest on an ask while the task waits for it.
      filter((state) => isAtRestOnAsk(state) && (state.lastMessageTs ?? 0) > since && !this.#showsSubtask()),
      map((state) => this.#endOf(state)),
    );
    const gone = this.#ended.pipe(
      map((error) => {
        throw error;
      }),
    );
    return firstValueFrom(merge(ends, gone));
  }

  /** Queue a message; it answers no ask (L7). @throws RemoteError `PROCESS_ENDED` */
  async queue(text: string, images: readonly string[] = []): Promise<QueueResult> {
    try {
      const done = await this.#requests.send({ command: "queue", prompt: text, images: [...images] });
      return { ok: true, id: done.content ?? "" };
    } catch (error) {
      if (!(error instanceof RemoteError) || error.code !== "COMMAND_REFUSED") throw error;
      const code = error.reason === "queue_full" ? "QUEUE_FULL" : "TASK_CLOSED";
      return { ok: false, code, message: error.message };
    }
  }

  /**
   * Edit a queued message. Without `images` it keeps its images.
   * @throws RemoteError `COMMAND_REFUSED` for invalid input, or by a process without this command
   * (`reason` `not_offered`); `PROCESS_ENDED`
   */
  async editQueued(id: string, text: string, images?: readonly string[]): Promise<EditResult> {
    try {
      await this.#sendOptional({ command: "edit", id, prompt: text, ...(images && { images: [...images] }) });
      return { ok: true };
    } catch (error) {
      const refused = refusalIn(error);
      if (refused.reason === "queued_unknown")
        return { ok: false, code: "QUEUED_UNKNOWN", message: refused.message };
      if (isGone(refused)) return { ok: false, code: "TASK_CLOSED", message: refused.message };
      throw refused;
    }
  }

  /**
   * Switch the mode from the next request on.
   * @throws RemoteError `COMMAND_REFUSED` for anything but a slug, or by a process without this command (`reason`
   * `not_offered`); `PROCESS_ENDED`
   */
  async switchMode(slug: string): Promise<ModeResult> {
    try {
      await this.#sendOptional({ command: "mode", mode: slug });
      return { ok: true };
    } catch (error) {
      const refused = refusalIn(error);
      if (isGone(refused)) return { ok: false, code: "TASK_CLOSED", message: refused.message };
      throw refused;
    }
  }

  /**
   * Change what is permitted, for the task and its open subtasks. What is absent stays.
   * @throws RemoteError `COMMAND_REFUSED` for a rule that is not valid, or by a process without this command (`reason`
   * `not_offered`); `PROCESS_ENDED`
   */
  async changePermissions({ level: mode, rules }: PermissionChange): Promise<PermissionsResult> {
    try {
      const { code } = await this.#sendOptional({
        command: "permissions",
        ...(mode !== undefined && { mode }),
        ...(rules !== undefined && { rules: [...rules] }),
      });
      return { ok: true, ...(code === "held" && { held: true }) };
    } catch (error) {
      const refused = refusalIn(error);
      if (isGone(refused)) return { ok: false, code: "TASK_CLOSED", message: refused.message };
      throw refused;
    }
  }

  /**
   * Condense the conversation with the next request.
   * @throws RemoteError `COMMAND_REFUSED` for invalid text, or by a process without this command (`reason`
   * `not_offered`); `PROCESS_ENDED`
   */
  async compact(instructions = ""): Promise<CompactResult> {
    try {
      await this.#sendOptional({ command: "compact", prompt: instructions });
      return { ok: true };
    } catch (error) {
      const refused = refusalIn(error);
      const { message, reason } = refused;
      if (reason === "task_not_started") return { ok: false, code: "TASK_NOT_STARTED", message };
      if (isGone(refused)) return { ok: false, code: "TASK_CLOSED", message };
      throw refused;
    }
  }

  answer(askId: number, answer: Answer): AnswerResult {
    return this.#asks.openAsks.answer(askId, answer);
  }

  cancel(): void {
    this.#unawaited(this.#requests.send({ command: "cancel" }));
  }

  /** Shut the process down, and resolve when it has ended. */
  async close(): Promise<void> {
    if (this.#end === undefined) this.#unawaited(this.#requests.send({ command: "shutdown" }));
    this.#process.stdin.end();
    await this.#closed;
  }

  #take({ event, message }: OutputLine): void {
    // Facts that come again, after the launch, belong to an ask that is known already.
    if (this.#asks.takeFacts(message)) this.#askList = [];
    else if (message !== undefined) this.#client.handleMessage(message);
    this.#capabilities.read(event);
    this.#requests.settle(event);
    this.#lines.next(event);
  }

  #createAsk(handle: AskHandle): Ask {
    const result = handle.ask === "completion_result" ? resultOf(this.log) : undefined;
    const { reason, errorCode } = this.log.findLast(({ ts }) => ts === handle.askId) ?? {};
    return createAsk(handle, {
      ...shownCall(handle.ask, handle.text),
      ...(reason !== undefined && { reason }),
      ...(errorCode !== undefined && { errorCode }),
      ...this.#asks.factsOf(handle.askId),
      ...(result !== undefined && { result }),
    });
  }

  #showsSubtask(): boolean {
    return this.#taskId !== undefined && (this.#client.getTaskId()?.startsWith(`${this.#taskId}.`) ?? false);
  }

  #launch(takes: readonly string[] = []): void {
    this.#requests.send({ command: "launch", takes: [...takes, "askFacts"] }).catch((error: RemoteError) => {
      // Without messages the task would never settle here.
      if (error.reason === "not_offered") this.#endWith(withoutMessages(error));
    });
  }

  /** Sends a command that would end a process without this capability. */
  async #sendOptional(
    command: Extract<CommandWithoutId, { readonly command: "edit" | "mode" | "permissions" | "compact" }>,
  ): Promise<ParsedJsonEvent> {
    if (!(await this.#capabilities.has(`stdin:${command.command}`))) throw notOffered(command.command);
    return this.#requests.send(command);
  }

  /** A process without this capability would run the call as it is. */
  async #sendAmended(command: Extract<CommandWithoutId, { readonly command: "approve" }>): Promise<void> {
    if (!(await this.#capabilities.has("stdin:proposal"))) throw notOffered("proposal");
    await this.#requests.send(command);
  }

  #sendAnswer(askId: number, answer: Answer): void {
    const { kind, text, images } = answer;
    const input = { ...(text !== undefined && { prompt: text }), ...(images && { images: [...images] }) };
    const isOutput = this.state.currentAsk === "command_output";
    if (kind === "text") {
      const { mode } = answer;
      const selected = mode === undefined ? {} : { mode };
      this.#unawaited(this.#requests.send({ command: "message", askId, prompt: "", ...input, ...selected }));
    } else if (isOutput)
      this.#unawaited(this.#requests.send({ command: kind === "yes" ? "continue" : "abort", askId }));
    else if (kind === "no") this.#unawaited(this.#requests.send({ command: "reject", askId, ...input }));
    else {
      const { rule, amendment } = answer;
      const added = rule === undefined ? {} : { rule };
      const approval = { command: "approve", askId, ...input, ...added } as const;
      if (amendment === undefined) this.#unawaited(this.#requests.send(approval));
      else this.#unawaited(this.#sendAmended({ ...approval, amendment: { ...amendment } }));
    }
  }

  /** Emits a refusal; the end of the process is reported elsewhere. */
  #unawaited(done: Promise<unknown>): void {
    done.catch((error: RemoteError) => {
      if (error.code === "COMMAND_REFUSED") this.#refusals.next(error);
    });
  }

  #endWith(error: RemoteError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#capabilities.end(error);
    this.#requests.end(error);
    this.#ended.next(error);
  }

  #endOf({ state, currentAsk }: AgentStateInfo): TaskEnd {
    const meter = new UsageMeter();
    for (const message of this.log) meter.add(message);
    const { usage } = meter;
    const result = currentAsk === "completion_result" ? resultOf(this.log) : undefined;
    const error = endErrorOf(this.log);
    return {
      state,
      ask: ASK_KINDS[isAskType(currentAsk) ? currentAsk : "resume_task"],
      ...(result !== undefined && { result }),
      ...(error !== undefined && { error }),
      cost: usage.cost,
      usage,
    };
  }
}

/** At rest on an open ask, not on one that was accepted or declined before. */
const isAtRestOnAsk = ({ state, lastMessage }: AgentStateInfo): boolean =>
  isAtRest(state) && lastMessage?.closing === undefined;

const nothing = (): void => {};

/** The refusal of the process. @throws any other error */
function refusalIn(error: unknown): RemoteError {
  if (error instanceof RemoteError && error.code === "COMMAND_REFUSED") return error;
  throw error;
}

const isGone = ({ reason }: RemoteError): boolean => reason === "task_closed" || reason === "no_active_task";

const refusal = (message: string, reason: string): RemoteError =>
  new RemoteError("COMMAND_REFUSED", message, reason);

const notOffered = (command: string): RemoteError =>
  refusal(
    `The process does not offer the command ${command} (its first line does not name stdin:${command}): start a newer one.`,
    "not_offered",
  );

const ended = (code: number | null, signal: string | null): RemoteError =>
  new RemoteError(
    "PROCESS_ENDED",
    `The task's process has ended (${signal ?? `exit code ${code}`}). Resume its task with \`--session-id\`.`,
  );

const notStarted = (error: Error): RemoteError =>
  new RemoteError(
    "PROCESS_ENDED",
    `The task's process could not be started: ${error.message}. Check that the command exists and is executable.`,
  );

const withoutMessages = ({ message }: RemoteError): RemoteError =>
  refusal(`${message}. Start the process with the arguments \`REMOTE_ARGUMENTS\`.`, "not_offered");

const busy = (state: string): RemoteError =>
  refusal(
    `The task is ${state} and no ask is open: wait until it settles, cancel it, or queue the message.`,
    "task_busy",
  );

/** Arguments with which `signalbox` must be started for {@link connect}. */
export const REMOTE_ARGUMENTS: readonly string[] = [
  "run",
  "--print",
  "--stdin-prompt-stream",
  "--output-format",
  "stream-json",
  "--with-messages",
];

/**
 * Connect to the task of a `signalbox` subprocess; it implements the interface of a `Task`.
 *
 * @param process Started with {@link REMOTE_ARGUMENTS} and pipes for its input and output
 * @example
 * ```ts
 * import { connect } from "signalbox/client";
 * // spawn("signalbox", [...REMOTE_ARGUMENTS, "--workspace", "."], { stdio: ["pipe", "pipe", "inherit"] })
 * const task = connect(child);
 * task.asks$.subscribe((ask) => ask.kind === "tool" && ask.approve());
 * console.log(await task.run("Make the tests pass"));
 * await task.close();
 * ```
 */
export const connect = (process: RemoteProcess): RemoteTask => new RemoteTask(process);
