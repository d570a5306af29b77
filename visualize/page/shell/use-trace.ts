import { useEffect, useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { GrowingTrace } from "../model/growing-trace.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { PageSource } from "../source.ts";

/** All tasks of the source, the newest first; undefined until they are known. */
export function useTasks(source: PageSource): readonly TaskInfo[] | undefined {
  const [tasks, setTasks] = useState<readonly TaskInfo[] | undefined>(undefined);
  useEffect(
    () => source.watchTasks((now) => setTasks([...now].sort((a, b) => b.updatedAt - a.updatedAt))),
    [source],
  );
  return tasks;
}

/** A task's trace as far as it is loaded. */
export interface LoadedTrace {
  readonly trace: TraceSnapshot;
  /** Whether all past events are loaded. */
  readonly isLive: boolean;
}

/** Follow a task. Undefined until its first event is loaded. */
export function useTrace(
  source: PageSource,
  taskId: string | undefined,
  onError: (message: string) => void,
): LoadedTrace | undefined {
  const [loaded, setLoaded] = useState<LoadedTrace | undefined>(undefined);
  useEffect(() => {
    setLoaded(undefined);
    if (taskId === undefined) return;
    return follow(source, taskId, setLoaded, onError);
  }, [source, taskId, onError]);
  return loaded?.trace.taskId === taskId ? loaded : undefined;
}

/** The shortest time between two updates: a stream may have a thousand events a second. */
const UPDATE_MS = 100;

function follow(
  source: PageSource,
  taskId: string,
  onUpdate: (loaded: LoadedTrace) => void,
  onError: (message: string) => void,
): () => void {
  const growing = new GrowingTrace(taskId);
  let isLive = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let updatedAt = Number.NEGATIVE_INFINITY;
  const schedule = (): void => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        updatedAt = performance.now();
        const trace = growing.snapshot();
        if (trace.length > 0) onUpdate({ trace, isLive });
      },
      Math.max(0, updatedAt + UPDATE_MS - performance.now()),
    );
  };
  const stop = source.follow(taskId, {
    events(batch) {
      growing.append(batch);
      schedule();
    },
    live() {
      isLive = true;
      schedule();
    },
    failed: onError,
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
