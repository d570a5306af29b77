import { useMemo } from "react";
import { type SubtaskTree, subtaskTree } from "../model/subtask-tree.ts";
import type { LoadedTrace } from "./use-trace.ts";

/** The subtasks of a loaded trace as a tree; undefined before the trace is loaded. */
export function useSubtaskTree(loaded: LoadedTrace | undefined): SubtaskTree | undefined {
  const { trace, subtasks } = loaded ?? {};
  return useMemo(() => trace && subtaskTree(trace, subtasks), [trace, subtasks]);
}
