import { printable } from "../../client/printable/printable.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { isAtRest, topState } from "../../machines/message/states.ts";
import { selectedModel } from "../../machines/task/profile.ts";
import { addUsage } from "../../machines/task/request.ts";
import { formatOutcome } from "../../machines/task/subtask-result.ts";
import { formatSubtaskName } from "../../present/subtask-name.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { subtaskOf } from "../../tools/builtin/new-task.ts";
import { completionResult, isAtWork, type RunHost, subtaskNumber } from "../run/subtasks.ts";
import { MessageFeed, showMessage } from "../show/message-feed.ts";
import type { Style } from "../show/style.ts";
import type { SubtaskNames } from "../show/subtask-names.ts";
import { EarlierUsage } from "./earlier-usage.ts";
import type { TerminalInterface } from "./interface.ts";
import { type Speaker, Speakers } from "./speakers.ts";
import type { Status } from "./status-line.ts";
import { TerminalView } from "./view.ts";

/** The view of one task, and the output that it writes to. */
export interface TaskScreen {
  readonly task: Task;
  readonly view: TerminalView;
  readonly speaker: Speaker;
}

export interface TaskViewsOptions {
  /** The task that is run. */
  readonly root: Task;
  readonly host: RunHost;
  readonly ui: Pick<TerminalInterface, "output" | "modelText">;
  readonly style: Style;
  readonly isVerbose: boolean;
  /** The names of the subtasks that the task had started before this run. */
  readonly names: SubtaskNames;
  /** The task whose question is shown. */
  readonly asker: () => Task | undefined;
}

/** The views of the task that is run and of its subtasks. */
export class TaskViews {
  readonly #root: Task;
  readonly #host: RunHost;
  readonly #options: TaskViewsOptions;
  readonly #speakers: Speakers<Task>;
  readonly #earlier = new EarlierUsage();
  /** By the id of the task. */
  readonly #views = new Map<string, TaskScreen>();
  /** The subtasks in the background whose ends are shown: the messages of their parents are not. */
  readonly #shownEnds = new Set<string>();
  /** The subtask that the person chose. */
  #chosen: Task | undefined;

  constructor(options: TaskViewsOptions) {
    const { root, host, ui, style } = options;
    this.#root = root;
    this.#host = host;
    this.#options = options;
    this.#speakers = new Speakers({
      ...ui,
      heading: (task) => style.bold(`== ${taskName(task)}`),
      name: taskName,
      isAlone: (task) => !this.tasks.some((other) => other !== task && isAtWork(other)),
    });
  }

  /** The tasks that were opened in this run, the root first. */
  get tasks(): readonly Task[] {
    return [...this.#views.values()].map(({ task }) => task);
  }

  /** Whether a subtask of this run is open, and its end is waited for. */
  get hasSubtasks(): boolean {
    return this.tasks.some((task) => task !== this.#root && task.isOpen && this.isAwaited(task));
  }

  /** The task in focus: the subtask that the person chose, else the one that asks, else the one that works. */
  get focus(): Task {
    const { asker } = this.#options;
    const chosen = this.#chosen;
    if (chosen !== undefined && this.isAwaited(chosen)) return chosen;
    return asker() ?? this.#host.focus(this.#root.id) ?? this.#root;
  }

  /** Whether the task is the one that is run, or a subtask that it waits for. */
  isAwaited(task: Task): boolean {
    return this.#host.stack(task.id)[0] === this.#root;
  }

  /** Choose the task in focus. The root: none, so that the focus follows the asks and the work. */
  choose(task: Task): void {
    this.#chosen = task === this.#root ? undefined : task;
  }

  /** Open the view of a task. A subtask that is resumed gets a new one. */
  open(task: Task): TaskScreen {
    const { style, isVerbose } = this.#options;
    const speaker = this.#speakers.open(task);
    const view = new TerminalView(speaker, style, speaker.modelText, {
      isSubtask: task !== this.#root,
      isVerbose,
      heading: (line) => speaker.heading(line),
      subtaskOf: (callId) => this.#nameOf(task, callId),
      isEndShown: (callId) => this.#shownEnds.has(keyOf(task, callId)),
      named: (title) => this.named(title),
    });
    view.readTodos(task.log.toArray());
    const screen = { task, view, speaker };
    this.#views.set(task.id, screen);
    this.#earlier.opened(task);
    return screen;
  }

  /** The name of the subtask that a call of the task started. */
  #nameOf(task: Task, callId: string): string | undefined {
    const started = this.tasks.findLast(
      ({ parent }) => parent?.taskId === task.id && parent.callId === callId,
    );
    if (started !== undefined) return taskName(started);
    return task === this.#root ? this.#options.names.get(callId) : undefined;
  }

  /** The text with the numbers and titles of subtasks in place of their ids. */
  named(text: string): string {
    const id = this.#root.id.replaceAll(".", "\\.");
    return text.replaceAll(new RegExp(`${id}\\.(\\d+(?:\\.\\d+)*)`, "g"), (_, number: string) => {
      const name = formatSubtaskName(number);
      const names = [...this.tasks.map(taskName), ...this.#options.names.values()];
      return (names.find((each) => each.startsWith(`${name} (`)) ?? name).slice(formatSubtaskName("").length);
    });
  }

  /**
   * The line above the first output of a subtask, with its model if that is another one than the root's. A subtask that
   * is resumed shows what its recovery reported before.
   */
  showStart({ task, view, speaker }: TaskScreen): void {
    const messages = task.log.toArray();
    const event = messages.length === 0 ? "started" : "resumed";
    const { context } = task.snapshot;
    const [own, root] = [context, this.#root.snapshot.context].map((each) => selectedModel(each)?.id);
    const model = own === undefined || own === root ? "" : `, model ${printable(own)}`;
    const line = `== ${taskName(task)} ${event}, mode ${printable(context.mode)}${model}`;
    speaker.heading(this.#options.style.bold(line));
    const reported = messages.slice(messages.findLastIndex((message) => !isOfRecovery(message)) + 1);
    const feed = new MessageFeed(view);
    for (const message of reported) showMessage(message, feed);
  }

  /** Show the ends of the subtasks in the background of a task, each once. The messages of its next request have them again. */
  showEnds({ task, view }: TaskScreen, { context }: Task["snapshot"] = task.snapshot): void {
    for (const call of context.backgroundSubtasks) {
      const { callId, childId, input, end } = call;
      const key = keyOf(task, callId);
      if (end === undefined || this.#shownEnds.has(key)) continue;
      this.#shownEnds.add(key);
      const number = childId.slice(task.rootId.length + 1);
      const name = this.#nameOf(task, callId) ?? formatSubtaskName(number, subtaskOf(input)?.name);
      // A subtask that is cancelled may have written half of a line, and so may the parent.
      const own = this.#views.get(childId)?.speaker;
      const speaker = own?.isWhole === true ? own : this.#speakers.open(task);
      view.showEnd(name, formatOutcome(call, end).message, speaker);
    }
  }

  /** The screen of a task that was opened in this run. */
  screenOf({ id }: Task): TaskScreen | undefined {
    return this.#views.get(id);
  }

  /** Show the open ask of a task again, if other tasks have said something since. */
  showAskAgain(ask: Ask, asker: Task): void {
    const screen = this.screenOf(asker);
    if (screen === undefined || this.#speakers.isLast(screen.speaker)) return;
    const message = asker.log.toArray().findLast(({ ts }) => ts === ask.id);
    if (message !== undefined) screen.view.showAgain(message);
  }

  /** Mark text that was typed to a task, by default the one in focus: its message is not shown again. */
  markTyped(text: string, { id }: Task = this.focus): void {
    this.#views.get(id)?.view.markTyped(text);
  }

  /** Show what a task did. The result of a subtask is not shown again by its parent. */
  show(screen: TaskScreen, commit: TaskCommit): void {
    const { task, view, speaker } = screen;
    view.show(commit);
    this.showEnds(screen, commit.snapshot);
    if (isAtRest(topState(commit.commit.after))) speaker.rest();
    const result = completionResult(commit);
    if (result !== undefined && task.parent !== undefined)
      this.#views.get(task.parent.taskId)?.view.markResultShown(result);
  }

  /** The status of the task in focus, with the usage of all tasks. */
  status(elapsedMs: number): Status {
    const task = this.focus;
    const { context } = task.snapshot;
    const { mode, permissions, queue, contextTokens, compaction } = context;
    const model = selectedModel(context);
    const contextWindow = model?.contextWindow;
    const { errorCode, reason } = task.log.at(-1) ?? {};
    return {
      state: task.state.state,
      ask: context.ask?.ask,
      errorCode,
      reason,
      mode,
      permissionMode: permissions.mode,
      pendingMode: permissions.held?.mode,
      model: model?.id ?? "",
      usage: this.tasks.map(({ snapshot }) => snapshot.context.total).reduce(addUsage, this.#earlier.usage),
      todos: this.#views.get(task.id)?.view.todos,
      elapsedMs,
      queued: queue.length,
      subtasks: this.tasks.filter((each) => each !== this.#root && each.isOpen && each.isWorking).length,
      background: this.tasks.reduce((sum, { snapshot }) => sum + snapshot.context.background.length, 0),
      windowShare: contextWindow === undefined ? undefined : contextTokens / contextWindow,
      isCompacting: compaction?.state === "requested",
    };
  }
}

/** Whether a recovery may have written the message: what is uncertain, and the ask to resume. */
const isOfRecovery = ({ say, ask }: ClineMessage): boolean => say === "error" || ask === "resume_task";

const keyOf = ({ id }: Task, callId: string): string => `${id} ${callId}`;

/** `Task`, `Subtask 2.1`, `Subtask 2.1 (The docs)`. */
export function taskName(task: Task): string {
  if (task.parent === undefined) return "Task";
  return printable(formatSubtaskName(subtaskNumber(task), task.title));
}
