import { useEffect, useState } from "react";
import { TraceLog } from "../../../trace/index.ts";
import { indexOf, type TraceIndex } from "../model/trace-index.ts";
import type { PageSource } from "../source.ts";

/** A task's trace as far as it is known. */
export interface SeenTrace {
  readonly trace: TraceLog;
  readonly index: TraceIndex;
  /** Another number each time that the trace has grown. */
  readonly version: number;
  /** All that had happened is there: what comes now is live. */
  readonly isLive: boolean;
}

/** Follows a task. Undefined until its first event is there. What goes wrong is told in words for people. */
export function useTrace(
  source: PageSource,
  taskId: string | undefined,
  onProblem: (words: string) => void,
): SeenTrace | undefined {
  const [seen, setSeen] = useState<SeenTrace | undefined>(undefined);
  useEffect(() => {
    setSeen(undefined);
    if (taskId === undefined) return;
    return followed(source, taskId, setSeen, onProblem);
  }, [source, taskId, onProblem]);
  return seen?.trace.taskId === taskId ? seen : undefined;
}

/** What comes within so long (milliseconds) is shown together: a stream may bring a thousand events a second. */
const TOGETHER_MS = 100;

/** Tells at once what comes after a silence, and then at most each {@link TOGETHER_MS}. */
function followed(
  source: PageSource,
  taskId: string,
  tell: (seen: SeenTrace) => void,
  onProblem: (words: string) => void,
): () => void {
  const trace = new TraceLog(taskId);
  let isLive = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = Number.NEGATIVE_INFINITY;
  let version = 0;
  const soon = (): void => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        told = performance.now();
        version += 1;
        if (trace.length > 0) tell({ trace, index: indexOf(trace), version, isLive });
      },
      Math.max(0, told + TOGETHER_MS - performance.now()),
    );
  };
  const stop = source.follow(taskId, {
    events(batch) {
      for (const event of batch) trace.append(event);
      soon();
    },
    live() {
      isLive = true;
      soon();
    },
    failed: onProblem,
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
