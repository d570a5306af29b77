import { expect, test } from "vitest";
import { formatTaskError } from "../../../cli/cluster/task-error.ts";
import { ClusterError } from "../../../cluster/error.ts";

test("a refused command is reported as one, with its code, and not as a failure of the task", () => {
  const refused = new ClusterError("COMMAND_REFUSED", "Task a is idle. (TASK_AT_REST)");
  expect(formatTaskError("a", refused)).toBe("Task a refused a command: Task a is idle. (TASK_AT_REST)\n");
});

test("any other error is reported as a failure of the task", () => {
  expect(formatTaskError("a", new Error("The disk is full."))).toBe(
    "[CLI] Error: task a failed: The disk is full.\n",
  );
});
