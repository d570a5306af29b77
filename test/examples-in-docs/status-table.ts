import type ts from "typescript";
import { STATUSES, TASK_GROUP_LABELS } from "../../present/task-status.ts";
import { docsIn } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

/** The states of listed tasks by group: their meanings are their docstrings. */
export function statusTable(program: ts.Program): string {
  const meanings = new Map(docsIn(program, "present/task-status.ts", "STATUSES"));
  return formatTable(
    ["state", "group", "meaning"],
    Object.entries(STATUSES).map(([name, group]) => [
      `\`${name}\``,
      TASK_GROUP_LABELS[group],
      meanings.get(name) ?? "",
    ]),
  );
}
