import { filter, firstValueFrom } from "rxjs";
import {
  isExpectedControlFlowError,
  shouldSendMessageAsAskResponse,
  type Task,
  TaskBridge,
  type TaskCommit,
  type TypedAsk,
} from "../../client/index.ts";
import type { Answer } from "../../machines/message/index.ts";
import type { StdinCommand, StdinCommandName, StdinCommandOf } from "../../wire/index.ts";
import { wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import { nobodyAnswers, subtasksOf } from "../run/index.ts";
import type { RequestIds } from "./request-ids.ts";
import { Run, type StartEnd } from "./run.ts";
import { DEFAULT_SESSION_DEADLINES, type SessionDeadlines, type SessionOptions } from "./session-options.ts";

/** An answer to an ask that it names. */
type Answering =
  | StdinCommandOf<"approve" | "reject" | "continue" | "abort">
  | (StdinCommandOf<"message"> & { readonly askId: number });

/**
 * The tasks that one input steers, one after another: each command is taken, and told to be done, in order. Who calls
 * {@link handle} waits for it before the next command.
 */
export class StreamSession {
  readonly #options: SessionOptions;
  readonly #deadlines: SessionDeadlines;
  readonly #ids: RequestIds;
  #run: Run | undefined;
  #hasCommand = false;
  #hasEnded = false;
  #isShuttingDown = false;
  /** What broke, and ends the session with the next command. */
  #fatal: string | undefined;
  #waiting: { readonly ask: number; readonly forget: () => void } | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ids = options.ids;
    this.#deadlines = { ...DEFAULT_SESSION_DEADLINES, ...options.deadlines };
  }

  /** Goes on with a task that was opened from its journal. It waits for a message. */
  goOn(task: Task): void {
    this.#follow(task, undefined);
  }

  /** Does what the command says. @throws Error after a failure of the client: the session can't go on */
  async handle(command: StdinCommand): Promise<void> {
    this.#hasCommand = true;
    if (this.#fatal !== undefined) throw new Error(this.#fatal);
    switch (command.command) {
      case "start":
        return this.#start(command);
      case "message":
        return this.#message(command);
      case "queue":
        return this.#queueOnly(command);
      case "cancel":
        return this.#cancel(command);
      case "ping":
        this.#ack(command, "pong");
        return this.#done(command, "pong", "pong");
      case "shutdown":
        return this.#shutdown(command);
      default:
        return this.#answer(command);
    }
  }

  /** Nothing more will come: what is under way goes on to its end, and what waits for somebody has nobody. */
  async inputEnded(): Promise<void> {
    if (!this.#hasCommand) {
      this.#fail("no stdin command provided");
      return;
    }
    await this.#settled();
    this.#hasEnded = true;
    this.#look();
  }

  /** Told of what the host can't tell anybody else. */
  broken(error: unknown): void {
    const message = wordsOf(error);
    this.#fatal ??= message;
    const requestId = this.#ids.current;
    this.#options.emitter.emitControl({
      subtype: "error",
      ...(requestId !== undefined && { requestId }),
      ...(this.#run !== undefined && { taskId: this.#run.task.id }),
      code: "client_error",
      content: message,
      success: false,
    });
    if (this.#hasEnded) this.#options.leave(EXIT.failed);
  }

  /** Forgets what it waits for. */
  close(): void {
    this.#waiting?.forget();
    this.#waiting = undefined;
    this.#run?.end();
    this.#run = undefined;
  }

  async #start(command: StdinCommandOf<"start">): Promise<void> {
    if (await this.#isBusy()) {
      const content = "a task is active: wait for its end, or cancel it";
      return this.#error(command, "task_busy", content);
    }
    const { host, create, newId } = this.#options;
    const taskId = command.taskId ?? newId();
    const old = this.#run;
    old?.end();
    this.#run = undefined;
    this.#ids.begin(command.requestId);
    this.#ack(command, "starting task", taskId);
    try {
      if (old !== undefined) await host.close(old.task.id);
      const task = await create(command, taskId);
      const run = this.#follow(task, command.requestId);
      // How it ends is told by its rests; here, that it can't go on.
      task.run(command.prompt, command.images ?? []).catch((error: unknown) => this.#startFailed(run, error));
    } catch (error) {
      this.#error(command, "task_error", wordsOf(error), taskId);
    }
  }

  async #message(command: StdinCommandOf<"message">): Promise<void> {
    if (this.#run === undefined)
      return this.#error(command, "no_active_task", "there is no task to say it to");
    await this.#settled();
    if (command.askId !== undefined) return this.#answer({ ...command, askId: command.askId });
    const task = this.#focus(this.#run);
    const ask = await this.#openAsk(task);
    const { prompt: text, images = [], requestId } = command;
    if (ask !== undefined && shouldSendMessageAsAskResponse(task.state.isWaitingForInput, ask.kind)) {
      this.#ack(command, "message accepted", this.#run.task.id);
      const before = this.#ids.current;
      this.#ids.begin(requestId);
      const result = task.answer(ask.id, { kind: "text", text, images });
      if (result.taken) return this.#done(command, "responded", "message sent as the answer");
      if (before !== undefined) this.#ids.begin(before);
      if (result.code === "ANSWER_REFUSED") return this.#error(command, "answer_refused", result.message);
      // Somebody else was first: then it waits like any other.
      return this.#queue(command, task);
    }
    this.#ack(command, "message accepted", this.#run.task.id);
    this.#queue(command, task);
  }

  /** Words that answer nothing, whatever is asked. */
  #queueOnly(command: StdinCommandOf<"queue">): void {
    if (this.#run === undefined) {
      this.#error(command, "no_active_task", "there is no task to say it to");
      return;
    }
    this.#ack(command, "message accepted", this.#run.task.id);
    this.#queue(command, this.#focus(this.#run));
  }

  #queue(command: StdinCommandOf<"message" | "queue">, task: Task): void {
    const { prompt, images = [], requestId } = command;
    try {
      const result = task.queue(prompt, images);
      if (!result.queued) {
        this.#error(command, result.code.toLowerCase(), result.message);
        return;
      }
      this.#ids.queued(result.id, requestId);
      if (task.state.isWaitingForInput) this.#ids.begin(requestId);
      this.#done(command, "queued", command.command === "queue" ? result.id : "message queued");
    } catch (error) {
      this.#error(command, "message_refused", wordsOf(error));
    }
  }

  async #cancel(command: StdinCommandOf<"cancel">): Promise<void> {
    const run = this.#run;
    this.#ack(command, "cancel accepted", run?.task.id);
    if (run === undefined || !(await this.#isBusy()))
      return this.#done(command, "no_active_task", "there is no task to cancel");
    this.#ids.begin(command.requestId);
    try {
      this.#bringToRest(run);
    } catch (error) {
      if (!isExpectedControlFlowError(error, { stopping: true }))
        return this.#error(command, "cancel_error", wordsOf(error));
    }
    this.#done(command, "cancel_requested", "cancel requested");
  }

  #shutdown(command: StdinCommandOf<"shutdown">): void {
    this.#isShuttingDown = true;
    const run = this.#run;
    this.#ack(command, "shutdown accepted", run?.task.id);
    this.#done(command, "shutdown_requested", "shutdown requested");
    if (run !== undefined) this.#bringToRest(run);
    void this.#settled().then(() => this.#options.leave(EXIT.done));
  }

  /** From wherever it is (L10). A rest that waits for a decision is declined: so it can be resumed like any other. */
  #bringToRest(run: Run): void {
    run.isCancelled = true;
    run.task.cancel();
    const ask = run.task.asks.at(-1);
    if (ask === undefined) return;
    if (
      ask.kind === "api_req_failed" ||
      ask.kind === "mistake_limit_reached" ||
      ask.kind === "auto_approval_max_req_reached"
    )
      ask.decline();
  }

  async #answer(command: Answering): Promise<void> {
    const run = this.#run;
    if (run === undefined)
      return this.#error(command, "no_active_task", "there is no task that asks anything");
    await this.#settled();
    const { askId } = command;
    const family = [...this.#options.host.stack(run.task.id)].reverse();
    const task = family.find(({ asks }) => asks.some(({ id }) => id === askId)) ?? this.#focus(run);
    const ask = task.asks.find(({ id }) => id === askId);
    const misfit = ask === undefined ? undefined : misfitOf(command.command, ask);
    if (misfit !== undefined) return this.#error(command, "answer_refused", misfit);
    const answer = answerOf(command);
    if (ask !== undefined) {
      this.#ack(command, `answer to ask ${askId} accepted`, task.id);
      this.#ids.begin(command.requestId);
    }
    const result = task.answer(askId, answer);
    if (result.taken) this.#done(command, "responded", "answer given");
    else this.#error(command, result.code.toLowerCase(), result.message);
  }

  #follow(task: Task, startId: string | undefined): Run {
    const { host, emitter } = this.#options;
    const run = new Run(
      task,
      startId,
      emitter,
      ({ commit }) => {
        if (commit.queue !== undefined) this.#ids.left(commit.queue);
      },
      (shown) => this.#shown(run, shown),
    );
    const subtasks = subtasksOf(task, host).subscribe((child) => {
      run.onEnd(emitter.attachToTask(child, { subtaskId: child.id }));
      child.events$.subscribe(() => this.#look());
    });
    run.onEnd(() => subtasks.unsubscribe());
    if (this.#options.withMessages) {
      const bridge = new TaskBridge({ host, send: (message) => emitter.emitMessage(message) });
      bridge.show(task);
      run.onEnd(() => bridge.close());
    }
    this.#run = run;
    return run;
  }

  #shown(run: Run, { commit, snapshot }: TaskCommit): void {
    const hasRested = commit.reports.some(({ type }) => type === "task.rested");
    if (hasRested) this.#rested(run, snapshot.context.ask?.ask);
    this.#look();
  }

  #rested(run: Run, ask: string | undefined): void {
    if (ask === "completion_result") this.#startEnded(run, "task_completed");
    else if (ask === "resume_task") this.#startEnded(run, run.isCancelled ? "task_aborted" : "task_failed");
    else if (ask === "api_req_failed" && this.#options.exitOnError && !run.isCancelled) {
      this.#startEnded(run, "task_failed");
      const open = run.task.asks.at(-1);
      this.#fail(open === undefined ? "a request failed" : nobodyAnswers(open, "--exit-on-error was given"));
    }
    if (ask === "completion_result" || ask === "resume_task") run.isCancelled = false;
  }

  #startFailed(run: Run, error: unknown): void {
    if (this.#run !== run || this.#isShuttingDown) return;
    this.#startEnded(run, "task_error", wordsOf(error));
    this.#look();
  }

  #startEnded(run: Run, code: StartEnd, content: string = SAID[code]): void {
    const { startId: requestId } = run;
    if (requestId === undefined) return;
    run.startId = undefined;
    this.#options.emitter.emitControl({
      subtype: code === "task_error" ? "error" : "done",
      requestId,
      command: "start",
      taskId: run.task.id,
      code,
      content,
      success: code === "task_completed",
    });
    this.#ids.promote();
  }

  /** Whether the task is at work, or its start has not had its end yet. */
  async #isBusy(): Promise<boolean> {
    const run = this.#run;
    if (run === undefined) return false;
    if (run.startId !== undefined && !run.isCancelled) return true;
    await this.#settled();
    return run.startId !== undefined || !isRest(run.task.state.state);
  }

  /** All that was decided is shown. A journal that can't be written says so itself. */
  async #settled(): Promise<void> {
    await this.#run?.task.flushed().catch(() => undefined);
  }

  #focus({ task }: Run): Task {
    return this.#options.host.focus(task.id) ?? task;
  }

  /** The ask that the task waits on, once it takes answers. */
  async #openAsk(task: Task): Promise<TypedAsk | undefined> {
    const open = task.asks.at(-1);
    if (open !== undefined) return open;
    if (!task.state.isWaitingForInput && this.#run?.isCancelled !== true) return undefined;
    return this.#within(this.#deadlines.openAskMs, firstValueFrom(task.asks$.pipe(filter(stops))));
  }

  /** The value, or nothing if it doesn't come in time. */
  #within<T>(ms: number, value: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const forget = this.#options.clock.after(ms, () => resolve(undefined));
      const settle = (result: T | undefined): void => {
        forget();
        resolve(result);
      };
      value.then(settle, () => settle(undefined));
    });
  }

  /** Once the input has ended: whether there is anything left to wait for. */
  #look(): void {
    if (!this.#hasEnded) return;
    const run = this.#run;
    if (run === undefined || this.#fatal !== undefined) {
      this.#options.leave(this.#fatal === undefined ? EXIT.done : EXIT.failed);
      return;
    }
    const task = this.#focus(run);
    const { isWaitingForInput, currentAsk, lastMessageTs: ask = 0 } = task.state;
    if (!isWaitingForInput || this.#waiting?.ask !== ask) {
      this.#waiting?.forget();
      this.#waiting = undefined;
    }
    if (!isWaitingForInput || this.#waiting !== undefined) return;
    const isOver = currentAsk === "completion_result" || currentAsk === "resume_completed_task";
    if (isOver && run.startId === undefined && task.snapshot.context.queue.length === 0) {
      this.#options.leave(EXIT.done);
      return;
    }
    const forget = this.#options.clock.after(this.#deadlines.inputEndedMs, () =>
      this.#fail(`stdin ended while task was waiting for input (${currentAsk})`),
    );
    this.#waiting = { ask, forget };
  }

  #fail(message: string): void {
    this.#options.emitter.emitError(message);
    this.#options.leave(EXIT.failed);
  }

  #ack(command: StdinCommand, content: string, taskId?: string): void {
    this.#control(command, "ack", "accepted", content, true, taskId);
  }

  #done(command: StdinCommand, code: string, content: string): void {
    this.#control(command, "done", code, content, true, this.#run?.task.id);
  }

  #error(command: StdinCommand, code: string, content: string, taskId = this.#run?.task.id): void {
    this.#control(command, "error", code, content, false, taskId);
  }

  #control(
    { command, requestId }: { readonly command: StdinCommandName; readonly requestId: string },
    subtype: "ack" | "done" | "error",
    code: string,
    content: string,
    success: boolean,
    taskId: string | undefined,
  ): void {
    const of = { subtype, requestId, command, code, content, success };
    this.#options.emitter.emitControl({ ...of, ...(taskId !== undefined && { taskId }) });
  }
}

const SAID: Readonly<Record<StartEnd, string>> = {
  task_completed: "task completed",
  task_aborted: "task aborted",
  task_failed: "task failed",
  task_error: "task error",
};

const isRest = (state: string): boolean => state === "idle" || state === "resumable" || state === "no_task";

const stops = ({ kind }: TypedAsk): boolean => kind !== "command_output";

/** Why this command is no answer to this ask. */
function misfitOf(command: Answering["command"], { id, kind }: TypedAsk): string | undefined {
  const isAboutOutput = kind === "command_output";
  const isForOutput = command === "continue" || command === "abort";
  if (isAboutOutput === isForOutput) return undefined;
  const fitting = isAboutOutput ? "continue or abort" : "approve, reject or a message";
  return `ask ${id} (${kind}) takes ${fitting}, not ${command}`;
}

function answerOf(command: Answering): Answer {
  if (command.command === "message")
    return { kind: "text", text: command.prompt, ...(command.images && { images: command.images }) };
  const isYes = command.command === "approve" || command.command === "continue";
  const kind = isYes ? "yes" : "no";
  if (!("prompt" in command) && !("images" in command)) return { kind };
  const { prompt, images } = command;
  return { kind, ...(prompt !== undefined && { text: prompt }), ...(images !== undefined && { images }) };
}
