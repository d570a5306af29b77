import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { HistoryItem } from "../../wire/roo/history-item.ts";
import type { ReplayedTask } from "../recovery/replay.ts";
import { stateFields } from "../task-history/summary.ts";

/** The summary of a task for Roo Code. `size`: bytes of its other files. */
export function historyItemOf({ header, recorded, lastAt, state }: ReplayedTask, size: number): HistoryItem {
  const { taskId, workspace, parent } = header;
  const { log, facts, calls } = recorded;
  const { cost, ...tokens } = facts.total ?? NO_USAGE;
  const child = calls.find((call) => call.phase === "delegated")?.childId;
  const { isCompleted } = stateFields(state, log.at(-1)?.ask, undefined);
  const atRest = isCompleted ? "completed" : "active";
  return {
    id: taskId,
    number: 1,
    ts: lastAt,
    task: log.toArray().find(({ say }) => say === "text")?.text ?? "",
    ...tokens,
    ...(cost !== null && { totalCost: cost }),
    size,
    ...(workspace !== undefined && { workspace }),
    mode: facts.mode ?? DEFAULT_MODE,
    ...(parent !== undefined && { rootTaskId: parent.rootId, parentTaskId: parent.taskId }),
    status: child === undefined ? atRest : "delegated",
    ...(child !== undefined && { delegatedToId: child, awaitingChildId: child, childIds: [child] }),
  };
}
