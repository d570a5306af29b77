import type { RunRow } from "../../../control/runs/row.ts";
import type { TaskEnd } from "../../../runtime/task/task-end.ts";

/** How a run ends whose task rests here. */
export function endOf({ ask, error }: TaskEnd): RunRow["end"] {
  if (error?.code === "shut_down") return "shutDown";
  if (ask === "completion") return "completed";
  return ask === "limit" || ask === "mistakes" ? "limited" : "failed";
}
