import { useMemo, useRef } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { NO_TITLES, titlesOf } from "../model/subtask-name.ts";
import { type SubtaskTree, subtaskTree } from "../model/subtask-tree.ts";
import type { LoadedTrace } from "./use-trace.ts";

/** The subtasks of a loaded trace as a tree, with the titles of the listed tasks; undefined before the trace is loaded. */
export function useSubtaskTree(
  loaded: LoadedTrace | undefined,
  tasks: readonly TaskInfo[],
): SubtaskTree | undefined {
  const { trace, subtasks } = loaded ?? {};
  const kept = useRef(NO_TITLES);
  const titles = useMemo(() => titlesOf(tasks, kept.current), [tasks]);
  kept.current = titles;
  return useMemo(() => trace && subtaskTree(trace, subtasks, titles), [trace, subtasks, titles]);
}
