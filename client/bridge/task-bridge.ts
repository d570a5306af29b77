import { Subscription } from "rxjs";
import { throwUncaught } from "../../actors/protocol/index.ts";
import type { Host, Task, TaskEnd } from "../../runtime/index.ts";
import type { ExtensionMessage, Refusal, Revision, WebviewMessage } from "../extension/messages.ts";
import { parseRequest } from "./request-parser.ts";
import {
  answer,
  edit,
  failure,
  isOpening,
  type NotDone,
  type Outcome,
  queue,
  switchMode,
  terminal,
  unqueue,
} from "./task-commands.ts";
import { TaskMessages } from "./task-messages.ts";

export interface TaskBridgeOptions {
  /** Takes a message to the front end: plain JSON. */
  readonly send: (message: ExtensionMessage) => unknown;
  /** The host of the task: then the front end sees the subtask that is at work, and its asks, in the task's place. */
  readonly host?: Pick<Host, "focus" | "opened$">;
  /** Makes the task that `newTask` asks for. It is shown, then run with the words. Without it only a task that has not begun is run. */
  readonly newTask?: (words: Words) => Task | Promise<Task>;
  /** What becomes of the task that `clearTask` lets go of. Default: it is cancelled, and stays in its host. */
  readonly clearTask?: (task: Task) => unknown;
  /** Has the task work in another mode. Default: `Task.switchMode`. */
  readonly setMode?: (task: Task, mode: string) => unknown;
  /** Changes words that wait in the queue; without images they keep theirs. Default: `Task.editQueued`. */
  readonly editQueued?: (task: Task, id: string, text: string, images?: readonly string[]) => unknown;
  /**
   * Whether an answer that names no ask is one to the ask that is open. Default false: it may have been given before that
   * ask was shown (L7). The clients of this package always name it.
   */
  readonly acceptsUnnamedAnswers?: boolean;
  /** Whether the front end reads `messageGrown`, also before it has said so by `webviewDidLaunch`. Default false: rows are told whole. */
  readonly acceptsGrowth?: boolean;
  /** Told how a stretch of work ended that `newTask` began. */
  readonly onEnd?: (end: TaskEnd, task: Task) => void;
  /** Told of what `send` threw. Default: thrown at the process. */
  readonly onError?: (error: unknown) => void;
  /** Names this bridge in its revisions. Default: a random UUID. */
  readonly source?: string;
}

export interface Words {
  readonly text: string;
  readonly images?: readonly string[];
}

/**
 * Lets a front end, in process or behind any transport, see a task and deal with it. What the task commits goes out as
 * `state` (all rows: first, and when another task is shown) and `messageUpdated` (each row that a commit changed), or
 * `messageGrown` (what a row has grown by) where the front end has said that it reads that; what comes in becomes the task's commands. What can't be done goes back as `refused`, with a code, and changes nothing.
 */
export class TaskBridge {
  readonly #options: TaskBridgeOptions;
  readonly #source: string;
  readonly #outbox: ExtensionMessage[] = [];
  #number = 0;
  /** The task that was chosen; the one that is shown is it, or the subtask that works for it. */
  #chosen: Task | undefined;
  #shown:
    | { readonly task: Task; readonly messages: TaskMessages; readonly subscription: Subscription }
    | undefined;
  #family = new Subscription();
  #acceptsGrowth: boolean;
  #isSending = false;
  #isClosed = false;

  constructor(options: TaskBridgeOptions) {
    this.#options = options;
    this.#source = options.source ?? crypto.randomUUID();
    this.#acceptsGrowth = options.acceptsGrowth ?? false;
  }

  /** The task that is shown. */
  get task(): Task | undefined {
    return this.#shown?.task;
  }

  /** Shows a task from now on, or none, and sends its whole state. */
  show(task: Task | undefined): void {
    if (this.#isClosed) return;
    this.#family.unsubscribe();
    this.#family = new Subscription();
    this.#chosen = task;
    if (task !== undefined) this.#followFamily(task);
    this.#present(this.#focus());
  }

  /** Takes a message of the front end, or its JSON. Never throws. */
  receive(raw: unknown): void {
    if (this.#isClosed) return;
    const request = parseRequest(raw);
    if (request.kind === "unknown") this.#refuse(request.of, notOffered(request.of));
    else if (request.kind === "invalid")
      this.#refuse(request.of, {
        code: "INVALID_MESSAGE",
        message: `${request.of} can't be read: ${request.problem}. Correct it and send it again.`,
      });
    else this.#do(request.message);
  }

  /** Ends the bridge. The task goes on. */
  close(): void {
    this.#isClosed = true;
    this.#family.unsubscribe();
    this.#shown?.subscription.unsubscribe();
    this.#outbox.length = 0;
  }

  #focus(): Task | undefined {
    const chosen = this.#chosen;
    return chosen === undefined ? undefined : (this.#options.host?.focus(chosen.id) ?? chosen);
  }

  /** Looks again who is at work whenever a task of the family is opened, shows something, or ends. */
  #followFamily(task: Task): void {
    const { host } = this.#options;
    if (host === undefined) return;
    const look = (): void => {
      const focus = this.#focus();
      if (focus !== this.#shown?.task) this.#present(focus);
    };
    const follow = (member: Task): void => {
      this.#family.add(member.events$.subscribe({ next: look, complete: look }));
    };
    follow(task);
    const focus = host.focus(task.id);
    if (focus !== undefined && focus !== task) follow(focus);
    this.#family.add(
      host.opened$.subscribe((opened) => {
        if (opened.rootId !== task.rootId || opened === task) return;
        follow(opened);
        look();
      }),
    );
  }

  #present(task: Task | undefined): void {
    this.#shown?.subscription.unsubscribe();
    this.#shown = undefined;
    if (task === undefined) {
      this.#send({
        type: "state",
        state: { clineMessages: [], messageQueue: [] },
        revision: this.#revision(),
      });
      return;
    }
    const messages = new TaskMessages(task, () => this.#revision(), this.#acceptsGrowth);
    const subscription = new Subscription();
    this.#shown = { task, messages, subscription };
    this.#send(messages.whole(task.snapshot));
    subscription.add(task.events$.subscribe((shown) => this.#send(...messages.of(shown))));
  }

  #do(message: WebviewMessage): void {
    switch (message.type) {
      case "webviewDidLaunch":
        this.#acceptsGrowth = message.takes?.includes("messageGrown") ?? this.#options.acceptsGrowth ?? false;
        this.#present(this.#shown?.task);
        break;
      case "newTask":
        void this.#newTask(message);
        break;
      case "clearTask":
        this.#clear();
        break;
      default:
        this.#withTask(message);
    }
  }

  #withTask(
    message: Exclude<WebviewMessage, { readonly type: "webviewDidLaunch" | "newTask" | "clearTask" }>,
  ): void {
    const task = this.#shown?.task;
    const named = "taskId" in message ? message.taskId : undefined;
    if (task === undefined) this.#refuse(message.type, NO_TASK);
    else if (named !== undefined && named !== task.id) this.#refuse(message.type, notShown(named, task.id));
    else {
      const give = (): void => this.#settle(message.type, task, this.#command(task, message));
      // An ask that is shown by the commit that is under way can be answered when its effects have begun.
      if ("askId" in message && isOpening(task, message.askId)) queueMicrotask(give);
      else give();
    }
  }

  #command(
    task: Task,
    message: Exclude<WebviewMessage, { readonly type: "webviewDidLaunch" | "newTask" | "clearTask" }>,
  ): Outcome {
    const { setMode, editQueued, acceptsUnnamedAnswers = false } = this.#options;
    switch (message.type) {
      case "askResponse":
        return answer(task, message, acceptsUnnamedAnswers);
      case "terminalOperation":
        return terminal(task, message);
      case "cancelTask":
        task.cancel();
        return undefined;
      case "queueMessage":
        return queue(task, message);
      case "removeQueuedMessage":
        return unqueue(task, message.id);
      case "editQueuedMessage":
        if (editQueued === undefined) return edit(task, message);
        return this.#attempt(() => editQueued(task, message.id, message.text, message.images));
      case "mode":
        if (setMode === undefined) return switchMode(task, message);
        return this.#attempt(() => setMode(task, message.mode));
    }
  }

  #attempt(act: () => unknown): Outcome {
    try {
      act();
      return undefined;
    } catch (error) {
      return failure(error);
    }
  }

  async #newTask({ text, images }: Words): Promise<void> {
    try {
      const task = await this.#taskFor({ text, ...(images !== undefined && { images }) });
      if (task === undefined || this.#isClosed) return;
      if (task !== this.#chosen) this.show(task);
      const end = await task.run(text, images);
      this.#options.onEnd?.(end, task);
    } catch (error) {
      const refused = failure(error);
      // A task that was let go of before it rested is nobody's news.
      if (refused.code !== "TASK_CLOSED") this.#refuse("newTask", refused);
    }
  }

  async #taskFor(words: Words): Promise<Task | undefined> {
    const { newTask } = this.#options;
    if (this.#chosen?.state.state === "no_task") return this.#chosen;
    if (newTask !== undefined) return newTask(words);
    this.#refuse("newTask", notOffered("newTask"));
    return undefined;
  }

  #clear(): void {
    const task = this.#chosen;
    this.show(undefined);
    if (task === undefined) return;
    const { clearTask = (gone: Task) => gone.cancel() } = this.#options;
    const failed = (error: unknown): void => this.#refuse("clearTask", failure(error));
    try {
      const cleared = clearTask(task);
      if (cleared instanceof Promise) cleared.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #settle(of: string, task: Task, outcome: Outcome): void {
    if (outcome !== undefined) this.#refuse(of, outcome, task);
  }

  #refuse(of: string, { code, message, askId }: NotDone, task: Task | undefined = this.#shown?.task): void {
    const refusal: Refusal = {
      type: "refused",
      of,
      ...(task !== undefined && { taskId: task.id }),
      ...(askId !== undefined && { askId }),
      code,
      message,
    };
    this.#send(refusal);
  }

  /** What a message sets off is sent behind all that was to be sent before. */
  #send(...messages: readonly ExtensionMessage[]): void {
    this.#outbox.push(...messages);
    if (this.#isSending) return;
    this.#isSending = true;
    for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift())
      this.#sendOne(next);
    this.#isSending = false;
  }

  #sendOne(message: ExtensionMessage): void {
    const { send, onError = throwUncaught } = this.#options;
    try {
      const sending = send(message);
      if (sending instanceof Promise) sending.catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  #revision(): Revision {
    this.#number += 1;
    return { source: this.#source, number: this.#number };
  }
}

const NO_TASK: NotDone = { code: "NO_TASK", message: "No task is shown. Send newTask, or show one." };

const notShown = (named: string, shown: string): NotDone => ({
  code: "TASK_NOT_SHOWN",
  message: `The message is for task ${named}, but ${shown} is shown by now. Look at what is shown and send it again.`,
});

const notOffered = (of: string): NotDone => ({
  code: "NOT_OFFERED",
  message: `${of} can't be done here: this agent was not set up for it. Give its bridge the option, or do without.`,
});
