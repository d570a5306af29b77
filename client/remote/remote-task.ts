import { filter, firstValueFrom, map, merge, Observable, Subject, takeUntil } from "rxjs";
import type { AnswerResult, AskHandle } from "../../actors/index.ts";
import {
  type AgentStateInfo,
  type Answer,
  type ClineMessage,
  isAskType,
} from "../../machines/message/index.ts";
import {
  type Ask,
  createAsk,
  type EditResult,
  type ModeResult,
  type QueueResult,
  type TaskEnd,
} from "../../runtime/task/index.ts";
import type { ParsedJsonEvent } from "../../wire/index.ts";
import { ExtensionClient } from "../extension/extension-client.ts";
import { UsageMeter } from "../usage-meter.ts";
import { Capabilities } from "./capabilities.ts";
import { type CommandWithoutId, PendingCommands } from "./pending-commands.ts";
import { linesOf, type OutputLine, type RemoteProcess } from "./process-output.ts";
import { RemoteAsks } from "./remote-asks.ts";
import { RemoteError } from "./remote-error.ts";
import type { TaskInterface } from "./task-interface.ts";

/**
 * A task that runs in a process of its own, with the face that it has in this one: the same rows, the same states, the
 * same asks. Made by {@link connect}.
 *
 * An answer is taken here if its ask is shown as open, and goes out once. Where somebody else was first, the process
 * refuses it by name: that is told on `refusals$`.
 */
export class RemoteTask implements TaskInterface {
  /** What the process refused that nobody waits for: an answer that came late. */
  readonly refusals$: Observable<RemoteError>;
  /** Each event of the process's output, as it writes it. */
  readonly lines$: Observable<ParsedJsonEvent>;
  readonly #process: RemoteProcess;
  readonly #requests: PendingCommands;
  readonly #client = new ExtensionClient({
    // The rows are all that it sees to: what it has to say itself is that it is there.
    sendMessage: (message) => message.type === "webviewDidLaunch" && this.#launch(message.takes),
  });
  readonly #offer = new Capabilities();
  readonly #asks: RemoteAsks;
  readonly #refusals = new Subject<RemoteError>();
  readonly #lines = new Subject<ParsedJsonEvent>();
  readonly #ended = new Subject<RemoteError>();
  readonly #closed: Promise<void>;
  #end: RemoteError | undefined;

  constructor(process: RemoteProcess) {
    this.#process = process;
    this.#requests = new PendingCommands(process.stdin);
    this.#asks = new RemoteAsks((askId, answer) => this.#tell(askId, answer));
    this.refusals$ = this.#refusals.asObservable();
    this.lines$ = this.#lines.asObservable();
    // One that offers it tells of a row that streams only what is new.
    this.#offer.has("stdin:launch").then((isOffered) => isOffered && this.#client.launch(), nothing);
    this.#client.state$.subscribe((state) => this.#asks.show(state));
    linesOf(process.stdout).subscribe({
      next: (line) => this.#take(line),
      error: (error: RemoteError) => this.#over(error),
    });
    // What is written to a process that is gone is lost with it: its end says so.
    process.stdin.on("error", () => undefined);
    this.#closed = new Promise((resolve) => {
      process.once("close", (code, signal) => {
        this.#over(ended(code, signal));
        resolve();
      });
      // One that never began: Node tells its close behind that.
      process.once("error", (error) => this.#over(notStarted(error)));
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
    // A row that is new is told by both.
    const told = new WeakSet<ClineMessage>();
    return merge(this.#client.events$("messageUpdated"), this.#client.events$("message")).pipe(
      filter((row) => !told.has(row) && told.add(row).has(row)),
      takeUntil(this.#ended),
    );
  }

  get asks(): readonly Ask[] {
    return this.#asks.board.open.map(createAsk);
  }

  get asks$(): Observable<Ask> {
    const { board } = this.#asks;
    return new Observable<AskHandle>((subscriber) => {
      for (const handle of board.open) subscriber.next(handle);
      return board.opened$.subscribe(subscriber);
    }).pipe(map(createAsk), takeUntil(this.#ended));
  }

  /**
   * Starts a task, or goes on with the one that rests, and resolves when it rests again. Whoever runs it must see to
   * its asks.
   * @throws RemoteError `COMMAND_REFUSED` while it works or waits for an answer, `PROCESS_ENDED`
   */
  async run(prompt: string, images: readonly string[] = []): Promise<TaskEnd> {
    const rest = this.settled();
    // Nobody waits for a rest that does not come.
    rest.catch(() => undefined);
    const words = { prompt, images: [...images] };
    if (this.state.state === "no_task") {
      // It is done when the task has ended, and its rest is seen before that.
      this.#requests.send({ command: "start", ...words }).catch((error: RemoteError) => {
        if (error.reason !== undefined) this.#refusals.next(error);
      });
      return rest;
    }
    const ask = this.asks.at(-1);
    if (ask === undefined) throw busy(this.state.state);
    if (ask.accepts.includes("text"))
      await this.#requests.send({ command: "message", askId: ask.id, ...words });
    else await this.#requests.send({ command: "approve", askId: ask.id, ...words });
    return rest;
  }

  /** Resolves when the task next comes to rest. @throws RemoteError `PROCESS_ENDED` */
  settled(): Promise<TaskEnd> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const since = this.state.lastMessageTs ?? 0;
    const rests = this.#client.state$.pipe(
      filter((state) => isRest(state) && (state.lastMessageTs ?? 0) > since),
      map((state) => this.#endOf(state)),
    );
    const gone = this.#ended.pipe(
      map((error) => {
        throw error;
      }),
    );
    return firstValueFrom(merge(rests, gone));
  }

  /** Puts words into the queue: they answer no ask (L7). @throws RemoteError `PROCESS_ENDED` */
  async queue(text: string, images: readonly string[] = []): Promise<QueueResult> {
    try {
      const done = await this.#requests.send({ command: "queue", prompt: text, images: [...images] });
      return { queued: true, id: done.content ?? "" };
    } catch (error) {
      if (!(error instanceof RemoteError) || error.code !== "COMMAND_REFUSED") throw error;
      const code = error.reason === "queue_full" ? "QUEUE_FULL" : "TASK_CLOSED";
      return { queued: false, code, message: error.message };
    }
  }

  /**
   * Changes words that wait in the queue. Without `images` they keep theirs.
   * @throws RemoteError `COMMAND_REFUSED` for words that can't be taken, or by a process that can't do it
   * (`reason` `not_offered`); `PROCESS_ENDED`
   */
  async editQueued(id: string, text: string, images?: readonly string[]): Promise<EditResult> {
    try {
      await this.#offered({ command: "edit", id, prompt: text, ...(images && { images: [...images] }) });
      return { edited: true };
    } catch (error) {
      const refused = refusalIn(error);
      if (refused.reason === "queued_unknown")
        return { edited: false, code: "QUEUED_UNKNOWN", message: refused.message };
      if (isGone(refused)) return { edited: false, code: "TASK_CLOSED", message: refused.message };
      throw refused;
    }
  }

  /**
   * Has the task work in another mode from its next request on.
   * @throws RemoteError `COMMAND_REFUSED` for what is no slug, or by a process that can't do it (`reason` `not_offered`);
   * `PROCESS_ENDED`
   */
  async switchMode(slug: string): Promise<ModeResult> {
    try {
      await this.#offered({ command: "mode", mode: slug });
      return { switched: true };
    } catch (error) {
      const refused = refusalIn(error);
      if (isGone(refused)) return { switched: false, code: "TASK_CLOSED", message: refused.message };
      throw refused;
    }
  }

  answer(askId: number, answer: Answer): AnswerResult {
    return this.#asks.board.answer(askId, answer);
  }

  cancel(): void {
    this.#unawaited(this.#requests.send({ command: "cancel" }));
  }

  /** Has the process end its task and itself, and resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#end === undefined) this.#unawaited(this.#requests.send({ command: "shutdown" }));
    this.#process.stdin.end();
    await this.#closed;
  }

  #take({ event, message }: OutputLine): void {
    if (message !== undefined) this.#client.handleMessage(message);
    this.#offer.told(event);
    this.#requests.settle(event);
    this.#lines.next(event);
  }

  #launch(takes: readonly string[] = []): void {
    this.#requests.send({ command: "launch", takes: [...takes] }).catch((error: RemoteError) => {
      // Without messages there are no rows: whoever waits for a rest would wait for ever.
      if (error.reason === "not_offered") this.#over(withoutMessages(error));
    });
  }

  /** Sends a command that an older process would not know, and end for. */
  async #offered(command: Extract<CommandWithoutId, { readonly command: "edit" | "mode" }>): Promise<void> {
    if (!(await this.#offer.has(`stdin:${command.command}`))) throw notOffered(command.command);
    await this.#requests.send(command);
  }

  #tell(askId: number, { kind, text, images }: Answer): void {
    const words = { ...(text !== undefined && { prompt: text }), ...(images && { images: [...images] }) };
    const isOutput = this.state.currentAsk === "command_output";
    if (kind === "text")
      this.#unawaited(this.#requests.send({ command: "message", askId, prompt: "", ...words }));
    else if (isOutput)
      this.#unawaited(this.#requests.send({ command: kind === "yes" ? "continue" : "abort", askId }));
    else
      this.#unawaited(
        this.#requests.send({ command: kind === "yes" ? "approve" : "reject", askId, ...words }),
      );
  }

  /** What is refused is told to whoever listens; the end of the process has its own ways. */
  #unawaited(done: Promise<unknown>): void {
    done.catch((error: RemoteError) => {
      if (error.code === "COMMAND_REFUSED") this.#refusals.next(error);
    });
  }

  #over(error: RemoteError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#offer.end(error);
    this.#requests.end(error);
    this.#ended.next(error);
  }

  #endOf({ state, currentAsk }: AgentStateInfo): TaskEnd {
    const meter = new UsageMeter();
    for (const message of this.log) meter.add(message);
    const { usage } = meter;
    const result = currentAsk === "completion_result" ? resultIn(this.log) : undefined;
    return {
      state,
      ask: isAskType(currentAsk) ? currentAsk : "resume_task",
      ...(result !== undefined && { result }),
      cost: usage.cost,
      usage,
    };
  }
}

/** It rests on an ask that is open. One that was accepted or declined was a rest before. */
const isRest = ({ state, lastMessage }: AgentStateInfo): boolean =>
  (state === "idle" || state === "resumable") && lastMessage?.closing === undefined;

const nothing = (): void => {};

/** What the process refused. @throws what else was thrown */
function refusalIn(error: unknown): RemoteError {
  if (error instanceof RemoteError && error.code === "COMMAND_REFUSED") return error;
  throw error;
}

const isGone = ({ reason }: RemoteError): boolean => reason === "task_closed" || reason === "no_active_task";

const notOffered = (command: string): RemoteError =>
  new RemoteError(
    "COMMAND_REFUSED",
    `The process does not offer the command ${command} (its first line does not name stdin:${command}): start a newer one.`,
    "not_offered",
  );

const resultIn = (rows: readonly ClineMessage[]): string | undefined =>
  rows.findLast(({ say }) => say === "completion_result")?.text ?? undefined;

const ended = (code: number | null, signal: string | null): RemoteError =>
  new RemoteError(
    "PROCESS_ENDED",
    `The task's process has ended (${signal ?? `exit code ${code}`}): nothing can be asked of it any more. Its task can be resumed by \`--session-id\`.`,
  );

const notStarted = (error: Error): RemoteError =>
  new RemoteError(
    "PROCESS_ENDED",
    `The task's process could not be started: ${error.message}. See that the command is there and may be run.`,
  );

const withoutMessages = ({ message }: RemoteError): RemoteError =>
  new RemoteError(
    "COMMAND_REFUSED",
    `${message}. A task is connected to by its rows: start the process with the arguments \`REMOTE_ARGUMENTS\`.`,
    "not_offered",
  );

const busy = (state: string): RemoteError =>
  new RemoteError(
    "COMMAND_REFUSED",
    `The task is ${state} and no ask is open: wait until it rests, cancel it, or queue the message.`,
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
