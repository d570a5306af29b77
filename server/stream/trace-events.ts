import { problemOf } from "../problem.ts";
import type { TreeItem } from "../traces/subtask-traces.ts";
import { formatEvent } from "./event-stream.ts";

/** An item of a trace as a server-sent event. `onError`: called with an error that is not the client's. */
export function formatTraceItem(item: TreeItem, onError: (error: unknown) => void): string {
  switch (item.type) {
    case "event":
      return formatEvent(item.json, { id: item.id });
    case "live":
      return formatEvent("{}", { event: "live" });
    case "subtask":
      return formatEvent(item.json, { event: "subtask" });
    case "subtasks omitted":
      return formatEvent(JSON.stringify(item.omitted), { event: "subtasks.omitted" });
    case "behind":
      return formatEvent('{"reason":"behind"}', { event: "end" });
    case "pause":
      return "";
    case "subtask failed": {
      const problem = problemOf(item.error);
      if (problem.code === "INTERNAL") onError(item.error);
      return formatEvent(JSON.stringify({ ...problem, taskId: item.taskId }), { event: "subtask.failed" });
    }
  }
}
