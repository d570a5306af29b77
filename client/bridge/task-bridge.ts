import { Subscription } from "rxjs";
import { throwUncaught } from "../../actors/protocol/uncaught.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";
import type { ExtensionMessage, Refusal, Revision, WebviewMessage } from "../roo/extension/messages.ts";
import { MESSAGE_TYPES, parseRequest } from "./request-parser.ts";
import {
  answer,
  cancel,
  edit,
  failure,
  isOpening,
  type Outcome,
  queue,
  type RefusalReason,
  switchMode,
  terminal,
  unqueue,
} from "./task-commands.ts";
import { type ExtraMessages, extraMessages, TaskMessages } from "./task-messages.ts";

/** Options of a {@link TaskBridge}. */
export interface TaskBridgeOptions {
  /** Sends a message to the client: plain JSON. */
  readonly send: (message: ExtensionMessage) => unknown;
  /** The host of the task. If set, the client sees the working subtask and its asks in place of the task. */
  readonly host?: Pick<Host, "focus" | "opened$">;
  /** Creates the task for `newTask`, which is shown and run. Without it only a task that has not started can be run. */
  readonly newTask?: (input: NewTaskInput) => Task | Promise<Task>;
  /** Called with the task of `clearTask`. Default: it is cancelled, and stays in its host. */
  readonly clearTask?: (task: Task) => unknown;
  /** Switches the mode. Default: `Task.switchMode`. */
  readonly setMode?: (task: Task, mode: string) => unknown;
  /** Edits a queued message. Default: `Task.editQueued`. */
  readonly editQueued?: (task: Task, id: string, text: string, images?: readonly string[]) => unknown;
  /** Finds or opens the task of `showTaskWithId`, which is shown. Undefined for an unknown task. */
  readonly showTaskWithId?: (taskId: string) => Task | undefined | Promise<Task | undefined>;
  /** Stops the wait after which a rule would answer the shown task's ask. */
  readonly cancelAutoApproval?: (task: Task) => unknown;
  /** Changes settings of the agent, or of the shown task. */
  readonly updateSettings?: (settings: Readonly<Record<string, unknown>>, task: Task | undefined) => unknown;
  /** The tasks that can be shown, as plain JSON; part of every state push. It is called for each and must not throw. */
  readonly taskHistory?: () => readonly unknown[];
  /**
   * Whether an answer without an ask answers the open one. Default false: it may have been given before that ask was shown
   * (L7). The clients of this package always name the ask.
   */
  readonly acceptsUnnamedAnswers?: boolean;
  /** Messages that the client reads before it sends `webviewDidLaunch`: `messageGrown`, `askFacts`. Default: none. */
  readonly takes?: readonly string[];
  /** Called when a task that `newTask` started settles. */
  readonly onEnd?: (end: TaskEnd, task: Task) => void;
  /** Called with an error of `send`. Default: thrown as uncaught. */
  readonly onError?: (error: unknown) => void;
  /** Identifies this bridge in its revisions. Default: a random UUID. */
  readonly source?: string;
}

/** A message for the shown task. */
type TaskMessage = Exclude<
  WebviewMessage,
  { readonly type: "webviewDidLaunch" | "newTask" | "clearTask" | "showTaskWithId" | "updateSettings" }
>;

interface NewTaskInput {
  readonly text: string;
  readonly images?: readonly string[];
}

/**
 * Connects a client, in process or over any transport, to a task. Commits are sent as `state` (all messages: at first, and
 * when another task is shown) and `messageUpdated` (each changed message), or `messageGrown` where the client reads it.
 * Messages of the client become the task's commands. A refused one is answered with `refused` and a code, and changes
 * nothing.
 */
export class TaskBridge {
  readonly #options: TaskBridgeOptions;
  readonly #source: string;
  readonly #outbox: ExtensionMessage[] = [];
  #number = 0;
  /** The task passed to `show`. The shown task is this one, or its working subtask. */
  #chosen: Task | undefined;
  /** Identifies the last request for a task to show: an earlier one that ends later shows nothing. */
  #request: object | undefined;
  #shown:
    | { readonly task: Task; readonly messages: TaskMessages; readonly subscription: Subscription }
    | undefined;
  #subscriptions = new Subscription();
  #extra: ExtraMessages;
  #isSending = false;
  #isClosed = false;

  constructor(options: TaskBridgeOptions) {
    this.#options = options;
    this.#source = options.source ?? crypto.randomUUID();
    this.#extra = extraMessages(options.takes ?? []);
  }

  /** The shown task. */
  get task(): Task | undefined {
    return this.#shown?.task;
  }

  /** Show a task from now on, or none, and send its whole state. */
  show(task: Task | undefined): void {
    if (this.#isClosed) return;
    this.#subscriptions.unsubscribe();
    this.#subscriptions = new Subscription();
    this.#chosen = task;
    this.#request = undefined;
    const look = task === undefined ? undefined : this.#followTree(task);
    this.#present(this.#focus());
    // The client answers the asks: a run of the task goes on waiting.
    if (task !== undefined) this.#subscriptions.add(task.treeAsks$.subscribe(look));
  }

  /** Apply a message of the client, or its JSON. Never throws. */
  receive(raw: unknown): void {
    if (this.#isClosed) return;
    const request = parseRequest(raw);
    if (request.kind === "unknown") this.#refuse(request.of, unknownType(request.of));
    else if (request.kind === "invalid")
      this.#refuse(request.of, {
        code: "INVALID_MESSAGE",
        message: `${request.of} can't be read: ${request.problem}. Correct it and send it again.`,
      });
    else this.#do(request.message);
  }

  /** Close the bridge. The task continues. */
  close(): void {
    this.#isClosed = true;
    this.#subscriptions.unsubscribe();
    this.#shown?.subscription.unsubscribe();
    this.#outbox.length = 0;
  }

  #focus(): Task | undefined {
    const chosen = this.#chosen;
    return chosen === undefined ? undefined : (this.#options.host?.focus(chosen.id) ?? chosen);
  }

  /**
   * Updates the shown task whenever a task of the tree is opened, commits, or is closed. Returns the update, also for a task that
   * was open before, and asks.
   */
  #followTree(task: Task): () => void {
    const { host } = this.#options;
    if (host === undefined) return () => {};
    const followed = new Set<Task>();
    const look = (): void => {
      const focus = this.#focus();
      if (focus !== undefined) follow(focus);
      if (focus !== this.#shown?.task) this.#present(focus);
    };
    const follow = (member: Task): void => {
      if (followed.has(member)) return;
      followed.add(member);
      this.#subscriptions.add(member.events$.subscribe({ next: look, complete: look }));
    };
    follow(task);
    follow(this.#focus() ?? task);
    this.#subscriptions.add(
      host.opened$.subscribe((opened) => {
        if (opened.rootId !== task.rootId || opened === task) return;
        follow(opened);
        look();
      }),
    );
    return look;
  }

  #present(task: Task | undefined): void {
    this.#shown?.subscription.unsubscribe();
    this.#shown = undefined;
    if (task === undefined) {
      const state = { clineMessages: [], messageQueue: [] };
      this.#send({ type: "state", state, revision: this.#revision() });
      return;
    }
    const messages = new TaskMessages(task, () => this.#revision(), this.#extra);
    const subscription = new Subscription();
    this.#shown = { task, messages, subscription };
    this.#send(...messages.whole(task.snapshot));
    subscription.add(task.events$.subscribe((shown) => this.#send(...messages.of(shown))));
  }

  #do(message: WebviewMessage): void {
    switch (message.type) {
      case "webviewDidLaunch":
        this.#extra = extraMessages(message.takes ?? this.#options.takes ?? []);
        this.#present(this.#shown?.task);
        break;
      case "newTask":
        void this.#newTask(message);
        break;
      case "clearTask":
        this.#clear();
        break;
      case "showTaskWithId":
        void this.#showTask(message.text);
        break;
      case "updateSettings":
        this.#updateSettings(message.updatedSettings);
        break;
      default:
        this.#withTask(message);
    }
  }

  #withTask(message: TaskMessage): void {
    const task = this.#shown?.task;
    const named = "taskId" in message ? message.taskId : undefined;
    if (task === undefined) this.#refuse(message.type, NO_TASK);
    else if (named !== undefined && named !== task.id && !this.#isChosen(message, named))
      this.#refuse(message.type, notShown(named, task.id));
    else {
      const give = (): void => {
        const refused = this.#command(task, message);
        if (refused !== undefined) this.#refuse(message.type, refused, task);
      };
      // An ask that is shown by the commit that is under way can be answered when its effects have begun.
      if ("askId" in message && isOpening(task, message.askId)) queueMicrotask(give);
      else give();
    }
  }

  /** A task is cancelled by its id also while a subtask is shown in its place. */
  #isChosen({ type }: TaskMessage, named: string): boolean {
    return type === "cancelTask" && named === this.#chosen?.id;
  }

  #command(task: Task, message: TaskMessage): Outcome {
    const { setMode, editQueued, cancelAutoApproval, acceptsUnnamedAnswers = false } = this.#options;
    switch (message.type) {
      case "askResponse":
        return answer(task, message, acceptsUnnamedAnswers);
      case "terminalOperation":
        return terminal(task, message);
      case "cancelTask":
        return cancel(message.taskId === task.id ? task : (this.#chosen ?? task));
      case "queueMessage":
        return queue(task, message);
      case "removeQueuedMessage":
        return unqueue(task, message.id);
      case "editQueuedMessage":
        if (editQueued === undefined) return edit(task, message);
        return this.#run(
          message.type,
          () => editQueued(task, message.id, message.text, message.images),
          task,
        );
      case "mode":
        if (setMode === undefined) return switchMode(task, message);
        return this.#run(message.type, () => setMode(task, message.mode), task);
      case "cancelAutoApproval":
        if (cancelAutoApproval === undefined) return notOffered(message.type);
        return this.#run(message.type, () => cancelAutoApproval(task), task);
    }
  }

  /** Run an option. Its failure, now or later, is refused. */
  #run(of: WebviewMessage["type"], act: () => unknown, task?: Task): undefined {
    const failed = (error: unknown): void => this.#refuse(of, failure(error), task);
    try {
      const running = act();
      if (running instanceof Promise) running.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  async #showTask(taskId: string): Promise<void> {
    const { showTaskWithId } = this.#options;
    if (showTaskWithId === undefined) return this.#refuse("showTaskWithId", notOffered("showTaskWithId"));
    const request = {};
    this.#request = request;
    try {
      const task = await showTaskWithId(taskId);
      if (task === undefined) this.#refuse("showTaskWithId", unknownTask(taskId));
      else if (this.#request === request) this.show(task);
    } catch (error) {
      this.#refuse("showTaskWithId", failure(error));
    }
  }

  #updateSettings(settings: Readonly<Record<string, unknown>>): void {
    const { updateSettings } = this.#options;
    const task = this.#shown?.task;
    if (updateSettings === undefined) this.#refuse("updateSettings", notOffered("updateSettings"));
    else this.#run("updateSettings", () => updateSettings(settings, task), task);
  }

  async #newTask({ text, images }: NewTaskInput): Promise<void> {
    try {
      const task = await this.#taskFor({ text, ...(images !== undefined && { images }) });
      if (task === undefined || this.#isClosed) return;
      if (task !== this.#chosen) this.show(task);
      const end = await task.run(text, images && { images });
      this.#options.onEnd?.(end, task);
    } catch (error) {
      const refused = failure(error);
      // A task that was closed before it settled is no failure.
      if (refused.code !== "TASK_CLOSED") this.#refuse("newTask", refused);
    }
  }

  async #taskFor(input: NewTaskInput): Promise<Task | undefined> {
    const { newTask } = this.#options;
    if (this.#chosen?.state.state === "no_task") return this.#chosen;
    if (newTask !== undefined) return newTask(input);
    this.#refuse("newTask", notOffered("newTask"));
    return undefined;
  }

  #clear(): void {
    const task = this.#chosen;
    this.show(undefined);
    if (task === undefined) return;
    const { clearTask = (gone: Task) => gone.cancel() } = this.#options;
    this.#run("clearTask", () => clearTask(task));
  }

  #refuse(
    of: string,
    { code, message, askId }: RefusalReason,
    task: Task | undefined = this.#shown?.task,
  ): void {
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

  /** Sends in order: messages that `send` causes are sent after the present ones. */
  #send(...messages: readonly ExtensionMessage[]): void {
    if (this.#isClosed) return;
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
      const sending = send(this.#withHistory(message));
      if (sending instanceof Promise) sending.catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  #withHistory(message: ExtensionMessage): ExtensionMessage {
    const { taskHistory } = this.#options;
    if (taskHistory === undefined || message.type !== "state") return message;
    return { ...message, state: { ...message.state, taskHistory: taskHistory() } };
  }

  #revision(): Revision {
    this.#number += 1;
    return { source: this.#source, number: this.#number };
  }
}

const NO_TASK: RefusalReason = { code: "NO_TASK", message: "No task is shown. Send newTask, or show one." };

const notShown = (named: string, shown: string): RefusalReason => ({
  code: "TASK_NOT_SHOWN",
  message: `The message is for task ${named}, but ${shown} is shown by now. Send it again for the shown task, if it still applies.`,
});

/** The messages that need an option of the bridge, by its name. */
type OptionalType = "newTask" | "showTaskWithId" | "cancelAutoApproval" | "updateSettings";

const notOffered = (of: OptionalType & keyof TaskBridgeOptions): RefusalReason => ({
  code: "NOT_OFFERED",
  message: `${of} is not available: this agent was not configured for it. Set the option \`${of}\` of its bridge.`,
});

const unknownType = (of: string): RefusalReason => ({
  code: "NOT_OFFERED",
  message: `${of} is not available: this agent has no such message. Send one of: ${MESSAGE_TYPES.join(", ")}.`,
});

const unknownTask = (taskId: string): RefusalReason => ({
  code: "TASK_UNKNOWN",
  message: `No task has the id ${taskId}. Send the id of a task in the task history.`,
});
