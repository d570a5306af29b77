import {
  isExpectedControlFlowError,
  shouldSendMessageAsAskResponse,
  TaskBridge,
} from "../../client/index.ts";
import type { Task, TaskCommit, TypedAsk } from "../../runtime/index.ts";
import type { StdinCommand, StdinCommandOf } from "../../wire/index.ts";
import { wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import { nobodyAnswers, subtasksOf } from "../run/index.ts";
import { type Answering, answerOf, misfitOf } from "./answering.ts";
import { change } from "./change.ts";
import { InputEnd } from "./input-end.ts";
import { openAsk } from "./open-ask.ts";
import { Replies } from "./replies.ts";
import type { RequestIds } from "./request-ids.ts";
import { Run, START_END_WORDS, type StartEnd } from "./run.ts";
import { DEFAULT_SESSION_DEADLINES, type SessionDeadlines, type SessionOptions } from "./session-options.ts";

/**
 * The tasks that one input steers, one after another: each command is taken, and told to be done, in order. Who calls
 * {@link handle} waits for it before the next command.
 */
export class StreamSession {
  readonly #options: SessionOptions;
  readonly #deadlines: SessionDeadlines;
  readonly #ids: RequestIds;
  readonly #replies: Replies;
  readonly #end: InputEnd;
  #run: Run | undefined;
  #bridge: TaskBridge | undefined;
  /** The messages that the client reads beside those of the family. */
  #takes: readonly string[] = [];
  #hasCommand = false;
  #isShuttingDown = false;
  /** What broke, and ends the session with the next command. */
  #fatal: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ids = options.ids;
    this.#deadlines = { ...DEFAULT_SESSION_DEADLINES, ...options.deadlines };
    this.#replies = new Replies(options.emitter, () => this.#run?.task.id);
    const { clock, leave } = options;
    const fail = (message: string): void => this.#fail(message);
    this.#end = new InputEnd({ clock, waitMs: this.#deadlines.inputEndedMs, leave, fail });
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
      case "edit":
      case "mode":
        return this.#change(command);
      case "launch":
        return this.#launch(command);
      case "cancel":
        return this.#cancel(command);
      case "ping":
        this.#replies.ack(command, "pong");
        return this.#replies.done(command, "pong", "pong");
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
    await this.#run?.settled();
    this.#end.come();
    this.#look();
  }

  /** Told of what the host can't tell anybody else. */
  broken(error: unknown): void {
    const message = wordsOf(error);
    this.#fatal ??= message;
    this.#replies.failure(message, this.#ids.current);
    if (this.#end.hasCome) this.#options.leave(EXIT.failed);
  }

  /** Forgets what it waits for. */
  close(): void {
    this.#end.forget();
    this.#run?.end();
    this.#run = undefined;
  }

  async #start(command: StdinCommandOf<"start">): Promise<void> {
    if (await this.#isBusy()) {
      const content = "a task is active: wait for its end, or cancel it";
      return this.#replies.error(command, "task_busy", content);
    }
    const { host, create, newId } = this.#options;
    const taskId = command.taskId ?? newId();
    const old = this.#run;
    old?.end();
    this.#run = undefined;
    this.#ids.begin(command.requestId);
    this.#replies.ack(command, "starting task", taskId);
    try {
      if (old !== undefined) await host.close(old.task.id);
      const task = await create(command, taskId);
      const run = this.#follow(task, command.requestId);
      // How it ends is told by its rests; here, that it can't go on.
      task.run(command.prompt, command.images ?? []).catch((error: unknown) => this.#startFailed(run, error));
    } catch (error) {
      this.#replies.error(command, "task_error", wordsOf(error), taskId);
    }
  }

  async #message(command: StdinCommandOf<"message">): Promise<void> {
    if (this.#run === undefined)
      return this.#replies.error(command, "no_active_task", "there is no task to say it to");
    await this.#run?.settled();
    if (command.askId !== undefined) return this.#answer({ ...command, askId: command.askId });
    const task = this.#focus(this.#run);
    const ask = await this.#openAsk(task);
    const { prompt: text, images = [], requestId } = command;
    if (ask !== undefined && shouldSendMessageAsAskResponse(task.state.isWaitingForInput, ask.kind)) {
      this.#replies.ack(command, "message accepted", this.#run.task.id);
      const before = this.#ids.current;
      this.#ids.begin(requestId);
      const result = task.answer(ask.id, { kind: "text", text, images });
      if (result.taken) return this.#replies.done(command, "responded", "message sent as the answer");
      if (before !== undefined) this.#ids.begin(before);
      if (result.code === "ANSWER_REFUSED")
        return this.#replies.error(command, "answer_refused", result.message);
      // Somebody else was first: then it waits like any other.
      return this.#queue(command, task);
    }
    this.#replies.ack(command, "message accepted", this.#run.task.id);
    return this.#queue(command, task);
  }

  /** Words that answer nothing, whatever is asked. */
  async #queueOnly(command: StdinCommandOf<"queue">): Promise<void> {
    if (this.#run === undefined)
      return this.#replies.error(command, "no_active_task", "there is no task to say it to");
    this.#replies.ack(command, "message accepted", this.#run.task.id);
    return this.#queue(command, this.#focus(this.#run));
  }

  /** Once the queue's own event is told: the next command may be another request's. */
  async #queue(command: StdinCommandOf<"message" | "queue">, task: Task): Promise<void> {
    const { prompt, images = [], requestId } = command;
    try {
      const result = task.queue(prompt, images);
      if (!result.queued) return this.#replies.error(command, result.code.toLowerCase(), result.message);
      this.#ids.queued(result.id, requestId, prompt);
      if (task.state.isWaitingForInput) this.#ids.begin(requestId);
      this.#replies.done(command, "queued", command.command === "queue" ? result.id : "message queued");
    } catch (error) {
      return this.#replies.error(command, "message_refused", wordsOf(error));
    }
    // A journal that can't be written says so itself.
    await task.flushed().catch(() => undefined);
  }

  async #cancel(command: StdinCommandOf<"cancel">): Promise<void> {
    const run = this.#run;
    this.#replies.ack(command, "cancel accepted", run?.task.id);
    if (run === undefined || !(await this.#isBusy()))
      return this.#replies.done(command, "no_active_task", "there is no task to cancel");
    this.#ids.begin(command.requestId);
    try {
      run.bringToRest();
    } catch (error) {
      if (!isExpectedControlFlowError(error, { stopping: true }))
        return this.#replies.error(command, "cancel_error", wordsOf(error));
    }
    this.#replies.done(command, "cancel_requested", "cancel requested");
  }

  #shutdown(command: StdinCommandOf<"shutdown">): void {
    this.#isShuttingDown = true;
    const run = this.#run;
    this.#replies.ack(command, "shutdown accepted", run?.task.id);
    this.#replies.done(command, "shutdown_requested", "shutdown requested");
    run?.bringToRest();
    void Promise.resolve(run?.settled()).then(() => this.#options.leave(EXIT.done));
  }

  async #answer(command: Answering): Promise<void> {
    const run = this.#run;
    if (run === undefined)
      return this.#replies.error(command, "no_active_task", "there is no task that asks anything");
    await this.#run?.settled();
    const { askId } = command;
    const family = [...this.#options.host.stack(run.task.id)].reverse();
    const task = family.find(({ asks }) => asks.some(({ id }) => id === askId)) ?? this.#focus(run);
    const ask = task.asks.find(({ id }) => id === askId);
    const misfit = ask === undefined ? undefined : misfitOf(command.command, ask);
    if (misfit !== undefined) return this.#replies.error(command, "answer_refused", misfit);
    const answer = answerOf(command);
    if (ask !== undefined) {
      this.#replies.ack(command, `answer to ask ${askId} accepted`, task.id);
      this.#ids.begin(command.requestId);
    }
    const result = task.answer(askId, answer);
    if (result.taken) this.#replies.done(command, "responded", "answer given");
    else this.#replies.error(command, result.code.toLowerCase(), result.message);
  }

  #change(command: StdinCommandOf<"edit" | "mode">): void {
    if (this.#run === undefined) this.#replies.error(command, "no_active_task", "there is no task to change");
    else change(command, this.#focus(this.#run), this.#replies);
  }

  /** Its client is there, and says which messages it reads: so it is, too, with the tasks that follow. */
  #launch(command: StdinCommandOf<"launch">): void {
    const { takes = [] } = command;
    if (!this.#options.withMessages) {
      this.#replies.error(command, "not_offered", "no messages are told: start with --with-messages");
      return;
    }
    this.#takes = takes;
    this.#replies.ack(command, "launch accepted");
    this.#bridge?.receive({ type: "webviewDidLaunch", takes });
    this.#replies.done(command, "launched", "launched");
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
      (shown) => {
        this.#ids.told();
        this.#shown(run, shown);
      },
    );
    const subtasks = subtasksOf(task, host).subscribe((child) => {
      run.onEnd(emitter.attachToTask(child, { subtaskId: child.id }));
      child.events$.subscribe(() => this.#look());
    });
    run.onEnd(() => subtasks.unsubscribe());
    if (this.#options.withMessages) {
      const takesGrowth = this.#takes.includes("messageGrown");
      const bridge = new TaskBridge({ host, takesGrowth, send: (message) => emitter.emitMessage(message) });
      bridge.show(task);
      this.#bridge = bridge;
      run.onEnd(() => bridge.close());
    }
    this.#run = run;
    return run;
  }

  #shown(run: Run, { commit, snapshot }: TaskCommit): void {
    const hasRested = commit.reports.some(({ type }) => type === "task.rested");
    if (hasRested) this.#rested(run, snapshot.context.ask?.ask, snapshot.context.log.at(-1)?.text ?? "");
    this.#look();
  }

  #rested(run: Run, ask: string | undefined, text: string): void {
    if (ask === "completion_result") this.#startEnded(run, "task_completed");
    else if (ask === "resume_task") this.#startEnded(run, run.isCancelled ? "task_aborted" : "task_failed");
    else if (ask === "api_req_failed" && this.#options.exitOnError && !run.isCancelled) {
      this.#startEnded(run, "task_failed");
      // Its ask takes answers only later.
      this.#fail(nobodyAnswers({ kind: ask, text }, "--exit-on-error was given"));
    }
    if (ask === "completion_result" || ask === "resume_task") run.isCancelled = false;
  }

  #startFailed(run: Run, error: unknown): void {
    if (this.#run !== run || this.#isShuttingDown) return;
    this.#startEnded(run, "task_error", wordsOf(error));
    this.#look();
  }

  #startEnded(run: Run, code: StartEnd, content: string = START_END_WORDS[code]): void {
    const requestId = run.takeStart();
    if (requestId === undefined) return;
    const command = { command: "start", requestId } as const;
    if (code === "task_error") this.#replies.error(command, code, content, run.task.id);
    else this.#replies.done(command, code, content, code === "task_completed");
    this.#ids.promote();
  }

  /** Whether the task is at work, or its start has not had its end yet. */
  async #isBusy(): Promise<boolean> {
    const run = this.#run;
    if (run === undefined) return false;
    if (run.startId !== undefined && !run.isCancelled) return true;
    await this.#run?.settled();
    return run.startId !== undefined || !isRest(run.task.state.state);
  }

  #focus({ task }: Run): Task {
    return this.#options.host.focus(task.id) ?? task;
  }

  /** The ask that the task waits on, once it takes answers. */
  async #openAsk(task: Task): Promise<TypedAsk | undefined> {
    const isComing = task.state.isWaitingForInput || this.#run?.isCancelled === true;
    return isComing ? openAsk(task, this.#deadlines.openAskMs, this.#options.clock) : task.asks.at(-1);
  }

  /** Once the input has ended: whether there is anything left to wait for. */
  #look(): void {
    const run = this.#run;
    if (this.#fatal === undefined) this.#end.look(run && this.#focus(run), run?.startId !== undefined);
    else if (this.#end.hasCome) this.#options.leave(EXIT.failed);
  }

  #fail(message: string): void {
    this.#options.emitter.emitError(message);
    this.#options.leave(EXIT.failed);
  }
}

const isRest = (state: string): boolean => state === "idle" || state === "resumable" || state === "no_task";
