import type { Observable } from "rxjs";
import type { Usage } from "../../machines/task/task.events.ts";
import type { SubtaskEnd } from "../../ports/subtasks.ts";
import type { Task } from "../task/task.ts";
import type { IsolatedSubtasks } from "./isolated-subtasks.ts";
import type { SubtaskInput } from "./subtask.ts";
import type { TaskSubtasks } from "./subtask-tree.ts";

/** The subtasks of a task. Their ends name the changes that they made in files of their own. */
export class ReportedSubtasks implements TaskSubtasks {
  readonly #parentId: string;
  readonly #subtasks: TaskSubtasks;
  readonly #isolated: IsolatedSubtasks;

  constructor(parentId: string, subtasks: TaskSubtasks, isolated: IsolatedSubtasks) {
    this.#parentId = parentId;
    this.#subtasks = subtasks;
    this.#isolated = isolated;
  }

  async run(input: SubtaskInput, signal: AbortSignal): Promise<SubtaskEnd> {
    return this.#isolated.withChanges(this.#parentId, input.childId, await this.#subtasks.run(input, signal));
  }

  get unavailable(): string | undefined {
    return this.#subtasks.unavailable;
  }

  get open(): readonly Task[] {
    return this.#subtasks.open;
  }

  get opened$(): Observable<Task> {
    return this.#subtasks.opened$;
  }

  cancel(): void {
    this.#subtasks.cancel();
  }

  close(): Promise<void> {
    return this.#subtasks.close();
  }

  usage(children: number): Promise<Usage> {
    return this.#subtasks.usage(children);
  }
}
