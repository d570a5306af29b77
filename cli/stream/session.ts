import { TaskBridge } from "../../client/bridge/task-bridge.ts";
import { shouldSendMessageAsAskResponse } from "../../client/roo/ndjson/ask-response.ts";
import { isExpectedControlFlowError } from "../../client/roo/ndjson/control-flow-errors.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { hasNoWork } from "../../machines/message/states.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import { answeredWhereShown } from "../../runtime/task/run.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import type { StdinCommand, StdinCommandOf } from "../../wire/ndjson/command.ts";
import { EXIT, errorMessage } from "../error.ts";
import { subtasksOf } from "../run/subtasks.ts";
import { formatUnanswered } from "../run/unanswered.ts";
import { ambiguousAsk, namedAsks, namedTask, unknownAsk } from "./asked-task.ts";
import { ControlEvents } from "./control-events.ts";
import { InputEnd } from "./input-end.ts";
import type { RequestIds } from "./request-ids.ts";
import { DEFAULT_SESSION_DEADLINES, type SessionDeadlines, type SessionOptions } from "./session-options.ts";
import { isDelivering, START_END_TEXT, type StartEnd, StreamTask } from "./stream-task.ts";
import { type AnswerCommand, applyChange, mismatchOf, toAnswer, waitForAsk } from "./task-commands.ts";

/**
 * The tasks that are controlled by one input, one after another. Commands are acknowledged and done in order: wait for
 * {@link handle} before the next command.
 */
export class StreamSession {
  readonly #options: SessionOptions;
  readonly #deadlines: SessionDeadlines;
  readonly #ids: RequestIds;
  readonly #control: ControlEvents;
  readonly #end: InputEnd;
  #current: StreamTask | undefined;
  #bridge: TaskBridge | undefined;
  /** The message types that the client reads in addition to Roo Code's. */
  #extraMessages: readonly string[] = [];
  #hasCommand = false;
  #isShuttingDown = false;
  /** The failure that ends the session at the next command. */
  #fatal: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ids = options.ids;
    this.#deadlines = { ...DEFAULT_SESSION_DEADLINES, ...options.deadlines };
    this.#control = new ControlEvents(options.emitter, () => this.#current?.task.id);
    const { clock, leave } = options;
    const fail = (message: string): void => this.#fail(message);
    this.#end = new InputEnd({ clock, waitMs: this.#deadlines.inputEndedMs, leave, fail });
  }

  /** Follow a task that was opened from its journal. It waits for a message. */
  resume(task: Task): void {
    this.#follow(task, undefined);
  }

  /** Run a command. @throws Error after a failure of the client: the session can't continue */
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
      case "edit":
      case "mode":
      case "permissions":
      case "compact":
        return this.#change(command);
      case "launch":
        return this.#launch(command);
      case "proposal":
        return this.#proposal(command);
      case "cancel":
        return this.#cancel(command);
      case "ping":
        this.#control.ack(command, "pong");
        return this.#control.done(command, "pong", "pong");
      case "shutdown":
        return this.#shutdown(command);
      default:
        return this.#answer(command);
    }
  }

  /** The input has ended: running work continues, and an open ask can't be answered any more. */
  async inputEnded(): Promise<void> {
    if (!this.#hasCommand) {
      this.#fail("no stdin command provided");
      return;
    }
    await this.#current?.settled();
    this.#end.markEnded();
    this.#checkInputEnd();
  }

  /** Report a failure of the host. */
  fail(error: unknown): void {
    const message = errorMessage(error);
    this.#fatal ??= message;
    this.#control.failure(message, this.#ids.current);
    if (this.#end.hasEnded) this.#options.leave(EXIT.failed);
  }

  /** Stop waiting. */
  close(): void {
    this.#end.forget();
    this.#current?.end();
    this.#current = undefined;
  }

  async #start(command: StdinCommandOf<"start">): Promise<void> {
    if (await this.#isBusy()) {
      const content = "a task is active: wait until it settles, or cancel it";
      return this.#control.error(command, "task_busy", content);
    }
    const { host, create, newId } = this.#options;
    const taskId = command.taskId ?? newId();
    const old = this.#current;
    old?.end();
    this.#current = undefined;
    this.#ids.begin(command.requestId);
    this.#control.ack(command, "starting task", taskId);
    try {
      if (old !== undefined) await host.close(old.task.id);
      const task = await create(command, taskId);
      const run = this.#follow(task, command.requestId);
      // Its end is reported where it settles; only a failure is reported here.
      task
        .run(command.prompt, { onAsk: answeredWhereShown, ...(command.images && { images: command.images }) })
        .catch((error: unknown) => this.#startFailed(run, error));
    } catch (error) {
      this.#control.error(command, "task_error", errorMessage(error), taskId);
    }
  }

  async #message(command: StdinCommandOf<"message">): Promise<void> {
    if (this.#current === undefined)
      return this.#control.error(command, "no_active_task", "there is no task to send it to");
    await this.#current?.settled();
    if (command.askId !== undefined) return this.#answer({ ...command, askId: command.askId });
    const task = this.#focus(this.#current);
    const ask = isDelivering(task) ? undefined : await this.#waitForAsk(task);
    const { prompt: text, images = [], requestId } = command;
    if (ask !== undefined && shouldSendMessageAsAskResponse(task.state.isWaitingForInput, ask.type)) {
      this.#control.ack(command, "message accepted", this.#current.task.id);
      const before = this.#ids.current;
      this.#ids.begin(requestId);
      const result = task.answer(ask.id, { kind: "text", text, images });
      if (result.ok) return this.#control.done(command, "responded", "message sent as the answer");
      if (before !== undefined) this.#ids.begin(before);
      if (result.code === "ANSWER_REFUSED")
        return this.#control.error(command, "answer_refused", result.message);
      // Another client was first: the message is queued like any other.
      return this.#queue(command, task);
    }
    this.#control.ack(command, "message accepted", this.#current.task.id);
    return this.#queue(command, task);
  }

  /** Queue a message that answers no ask. */
  async #queueOnly(command: StdinCommandOf<"queue">): Promise<void> {
    if (this.#current === undefined)
      return this.#control.error(command, "no_active_task", "there is no task to send it to");
    this.#control.ack(command, "message accepted", this.#current.task.id);
    return this.#queue(command, this.#focus(this.#current));
  }

  /** Queue a message, and wait until the queue's event is emitted: the next command may be another request. */
  async #queue(command: StdinCommandOf<"message" | "queue">, task: Task): Promise<void> {
    const { prompt, images = [], requestId } = command;
    try {
      const result = task.queue(prompt, images);
      if (!result.ok) return this.#control.error(command, result.code.toLowerCase(), result.message);
      this.#ids.queued(result.id, requestId, prompt);
      if (task.state.isWaitingForInput && !isDelivering(task)) this.#ids.begin(requestId);
      this.#control.done(command, "queued", command.command === "queue" ? result.id : "message queued");
    } catch (error) {
      return this.#control.error(command, "message_refused", errorMessage(error));
    }
    // A failure of the journal is reported elsewhere.
    await task.flushed().catch(() => undefined);
  }

  async #cancel(command: StdinCommandOf<"cancel">): Promise<void> {
    const run = this.#current;
    this.#control.ack(command, "cancel accepted", run?.task.id);
    if (run === undefined || !(await this.#isBusy()))
      return this.#control.done(command, "no_active_task", "there is no task to cancel");
    this.#ids.begin(command.requestId);
    try {
      run.cancel();
    } catch (error) {
      if (!isExpectedControlFlowError(error, { stdinStreamMode: true, operation: "cancel" }))
        return this.#control.error(command, "cancel_error", errorMessage(error));
    }
    this.#control.done(command, "cancel_requested", "cancel requested");
  }

  #shutdown(command: StdinCommandOf<"shutdown">): void {
    this.#isShuttingDown = true;
    const run = this.#current;
    this.#control.ack(command, "shutdown accepted", run?.task.id);
    this.#control.done(command, "shutdown_requested", "shutdown requested");
    run?.cancel();
    void Promise.resolve(run?.settled()).then(() => this.#options.leave(EXIT.done));
  }

  async #answer(command: AnswerCommand): Promise<void> {
    const run = this.#current;
    if (run === undefined)
      return this.#control.error(command, "no_active_task", "there is no task with an open ask");
    await this.#current?.settled();
    const { host } = this.#options;
    const asks = namedAsks(run.task, host, command);
    if (asks.length > 1) return this.#control.error(command, "ask_ambiguous", ambiguousAsk(asks));
    const { task = namedTask(run.task, host, command.taskId), ask } = asks[0] ?? {};
    if (task === undefined) return this.#control.error(command, "ask_unknown", unknownAsk(command));
    const mismatch = ask === undefined ? undefined : mismatchOf(command.command, ask);
    if (mismatch !== undefined) return this.#control.error(command, "answer_refused", mismatch);
    const answer = toAnswer(command);
    if (ask !== undefined) {
      this.#control.ack(command, `answer to ask ${ask.id} accepted`, task.id);
      this.#ids.begin(command.requestId);
    }
    const result = task.answer(command.askId, answer);
    if (result.ok) this.#control.done(command, "responded", "answer given");
    else this.#control.error(command, result.code.toLowerCase(), result.message);
  }

  async #proposal(command: StdinCommandOf<"proposal">): Promise<void> {
    const run = this.#current;
    await run?.settled();
    const asks = run === undefined ? [] : namedAsks(run.task, this.#options.host, command);
    if (asks.length > 1) return this.#control.error(command, "ask_ambiguous", ambiguousAsk(asks));
    const ask = asks[0]?.ask;
    if (ask === undefined) return this.#control.error(command, "ask_unknown", unknownAsk(command));
    this.#control.ack(command, "proposal accepted");
    const proposal = "proposal" in ask ? ask.proposal : undefined;
    if (proposal !== undefined) return this.#control.proposal(command, proposal, ask.id);
    return this.#control.error(command, "no_proposal", `the call of ask ${ask.id} takes no amendment`);
  }

  #change(command: StdinCommandOf<"edit" | "mode" | "permissions" | "compact">): void {
    if (this.#current === undefined)
      this.#control.error(command, "no_active_task", "there is no task to change");
    else applyChange(command, this.#focus(this.#current), this.#control);
  }

  /** Send the messages that a client reads, once it has started: of this task and of later ones. */
  #launch(command: StdinCommandOf<"launch">): void {
    const { takes = [] } = command;
    if (!this.#options.withMessages) {
      this.#control.error(command, "not_offered", "messages are off: start the process with --with-messages");
      return;
    }
    this.#extraMessages = takes;
    this.#control.ack(command, "launch accepted");
    this.#bridge?.receive({ type: "webviewDidLaunch", takes });
    this.#control.done(command, "launched", "launched");
  }

  #follow(task: Task, startId: string | undefined): StreamTask {
    const { host, emitter } = this.#options;
    const run = new StreamTask(
      task,
      startId,
      emitter,
      ({ commit }) => {
        if (commit.queue !== undefined) this.#ids.left(commit.queue);
      },
      (shown) => {
        this.#ids.commitEmitted();
        this.#shown(run, shown);
      },
    );
    const subtasks = subtasksOf(task, host).subscribe((child) => {
      run.onEnd(emitter.attachToTask(child, { subtaskId: child.id }));
      child.events$.subscribe(() => this.#checkInputEnd());
    });
    run.onEnd(() => subtasks.unsubscribe());
    if (this.#options.withMessages) {
      const takes = this.#extraMessages;
      const bridge = new TaskBridge({ host, takes, send: (message) => emitter.emitMessage(message) });
      bridge.show(task);
      this.#bridge = bridge;
      run.onEnd(() => bridge.close());
    }
    this.#current = run;
    return run;
  }

  #shown(run: StreamTask, { commit, snapshot }: TaskCommit): void {
    const hasSettled = commit.reports.some(({ type }) => type === "task.rested");
    if (hasSettled) this.#settled(run, snapshot.context.ask?.ask, snapshot.context.log.at(-1));
    this.#checkInputEnd();
  }

  #settled(run: StreamTask, ask: string | undefined, last: ClineMessage | undefined): void {
    if (ask === "completion_result") this.#startEnded(run, "task_completed");
    else if (ask === "resume_task") this.#startEnded(run, run.isCancelled ? "task_aborted" : "task_failed");
    else if (ask === "api_req_failed" && this.#options.exitOnError && !run.isCancelled) {
      this.#startEnded(run, "task_failed");
      // Its ask is not open yet.
      const { text, errorCode } = last ?? {};
      const failure = {
        kind: "failure",
        type: ask,
        text: text ?? "",
        ...(errorCode !== undefined && { errorCode }),
      } as const;
      this.#fail(formatUnanswered(failure, "--exit-on-error was given"));
    }
    if (ask === "completion_result" || ask === "resume_task") run.isCancelled = false;
  }

  #startFailed(run: StreamTask, error: unknown): void {
    if (this.#current !== run || this.#isShuttingDown) return;
    this.#startEnded(run, "task_error", errorMessage(error));
    this.#checkInputEnd();
  }

  #startEnded(run: StreamTask, code: StartEnd, content: string = START_END_TEXT[code]): void {
    const requestId = run.takeStart();
    if (requestId === undefined) return;
    const command = { command: "start", requestId } as const;
    if (code === "task_error") this.#control.error(command, code, content, run.task.id);
    else this.#control.done(command, code, content, code === "task_completed");
    this.#ids.promote();
  }

  /** Whether the task is working, or its `start` command has not ended. */
  async #isBusy(): Promise<boolean> {
    const run = this.#current;
    if (run === undefined) return false;
    if (run.startId !== undefined && !run.isCancelled) return true;
    await this.#current?.settled();
    return run.startId !== undefined || !hasNoWork(run.task.state.state) || isDelivering(run.task);
  }

  #focus({ task }: StreamTask): Task {
    return this.#options.host.focus(task.id) ?? task;
  }

  /** The ask that the task waits for, once it is open. */
  async #waitForAsk(task: Task): Promise<Ask | undefined> {
    const isExpected = task.state.isWaitingForInput || this.#current?.isCancelled === true;
    return isExpected ? waitForAsk(task, this.#deadlines.openAskMs, this.#options.clock) : task.asks.at(-1);
  }

  /** End the session if the input has ended and there is nothing to wait for. */
  #checkInputEnd(): void {
    const run = this.#current;
    if (this.#fatal === undefined) this.#end.check(run && this.#focus(run), run?.startId !== undefined);
    else if (this.#end.hasEnded) this.#options.leave(EXIT.failed);
  }

  #fail(message: string): void {
    this.#options.emitter.emitError(message);
    this.#options.leave(EXIT.failed);
  }
}
