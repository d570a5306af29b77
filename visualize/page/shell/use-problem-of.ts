import { useEffect, useState } from "react";
import type { LoadedTrace } from "./use-trace.ts";

/**
 * Open a task at its newest problem, or at its end if it has none. The event is known once all past events of the task
 * are loaded.
 */
export function useProblemOf(
  loaded: Pick<LoadedTrace, "trace" | "isLive"> | undefined,
  shown: string | undefined,
  open: (taskId: string) => void,
  goTo: (seq: number) => void,
): (taskId: string) => void {
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (wanted === undefined || wanted !== shown || loaded?.isLive !== true) return;
    setWanted(undefined);
    const problem = loaded.trace.index.problems.list.at(-1);
    if (problem !== undefined) goTo(problem.seq);
  }, [wanted, shown, loaded, goTo]);
  return (taskId) => {
    open(taskId);
    setWanted(taskId);
  };
}
