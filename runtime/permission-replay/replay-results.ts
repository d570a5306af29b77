import { ReplayTotals } from "../../tools/judge/replay-totals.ts";
import type { Replayed } from "../../wire/http/permission-replay.ts";
import type { ReplayedTask } from "./replay-tasks.ts";

/** The results of tasks that are replayed one after the other. */
export class ReplayResults {
  readonly #totals = new ReplayTotals();
  readonly #skipped: Replayed["skipped"] = [];
  #tasks = 0;

  add(task: ReplayedTask): void {
    const { taskId } = task;
    if ("problem" in task) this.#skipped.push({ taskId, reason: task.problem });
    else {
      this.#tasks += 1;
      for (const call of task.calls) this.#totals.add(taskId, call);
    }
  }

  get all(): Replayed {
    const { summary, listed } = this.#totals;
    return { tasks: this.#tasks, summary, ...listed, skipped: [...this.#skipped] };
  }
}
