import { selectedModel } from "../../machines/task/profile.ts";
import { addUsage } from "../../machines/task/request.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { completionResult, type RunHost } from "../run/subtasks.ts";
import { EarlierUsage } from "./earlier-usage.ts";
import type { Status } from "./status-line.ts";
import type { TerminalView } from "./view.ts";

/** The views of the task that is run and of its subtasks. */
export class TaskViews {
  readonly #root: Task;
  readonly #host: RunHost;
  readonly #createView: (isSubtask: boolean) => TerminalView;
  readonly #earlier = new EarlierUsage();
  /** By the id of the task. */
  readonly #views = new Map<string, { readonly task: Task; readonly view: TerminalView }>();

  constructor(root: Task, host: RunHost, createView: (isSubtask: boolean) => TerminalView) {
    this.#root = root;
    this.#host = host;
    this.#createView = createView;
  }

  /** The tasks that were opened in this run, the root first. */
  get tasks(): readonly Task[] {
    return [...this.#views.values()].map(({ task }) => task);
  }

  /** The task in focus: the one that is run, or its subtask. */
  get focus(): Task {
    return this.#host.focus(this.#root.id) ?? this.#root;
  }

  /** Open the view of a task. A subtask that is resumed gets a new one. */
  open(task: Task): TerminalView {
    const view = this.#createView(task !== this.#root);
    view.readTodos(task.log.toArray());
    this.#views.set(task.id, { task, view });
    this.#earlier.opened(task);
    return view;
  }

  /** Mark text that was typed to the task in focus: its message is not shown again. */
  markTyped(text: string): void {
    this.#views.get(this.focus.id)?.view.markTyped(text);
  }

  /** Show what a task did. The result of a subtask is not shown again by its parent. */
  show(task: Task, view: TerminalView, commit: TaskCommit): void {
    view.show(commit);
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
    return {
      state: task.state.state,
      ask: context.ask?.ask,
      errorCode: task.log.at(-1)?.errorCode,
      mode,
      permissionMode: permissions.mode,
      pendingMode: permissions.held?.mode,
      model: model?.id ?? "",
      usage: this.tasks.map(({ snapshot }) => snapshot.context.total).reduce(addUsage, this.#earlier.usage),
      todos: this.#views.get(task.id)?.view.todos,
      elapsedMs,
      queued: queue.length,
      background: this.tasks.reduce((sum, { snapshot }) => sum + snapshot.context.background.length, 0),
      windowShare: contextWindow === undefined ? undefined : contextTokens / contextWindow,
      isCompacting: compaction?.state === "requested",
    };
  }
}
