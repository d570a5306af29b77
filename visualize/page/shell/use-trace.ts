import { useEffect, useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { GrowingSubtasks, type LoadedSubtasks } from "../model/growing-subtasks.ts";
import { GrowingTrace } from "../model/growing-trace.ts";
import { TraceIndexer } from "../model/trace-indexer.ts";
import { TraceSnapshot } from "../model/trace-snapshot.ts";
import type { PageSource, RecordedTask, SubtaskSink } from "../source.ts";

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
  /** The traces of its subtasks. They are loaded after it, if they are needed. */
  readonly subtasks: LoadedSubtasks;
  /** Whether all past events are loaded. */
  readonly isLive: boolean;
}

/** Called when events get other numbers: `placeOf` gives the present number of a former one. */
export type OnRenumbered = (placeOf: (former: number) => number) => void;

const NOTHING: OnRenumbered = () => {};

interface TraceOptions {
  /** Whether the traces of its subtasks are loaded as well. */
  readonly needsSubtasks?: boolean;
  readonly onRenumbered?: OnRenumbered;
}

/** Follow a task, and its subtasks if they are needed. Undefined until its first event is loaded. */
export function useTrace(
  source: PageSource,
  taskId: string | undefined,
  onError: (message: string) => void,
  { needsSubtasks = false, onRenumbered = NOTHING }: TraceOptions = {},
): LoadedTrace | undefined {
  const [loaded, setLoaded] = useState<LoadedTrace | undefined>(undefined);
  useEffect(() => {
    setLoaded(undefined);
    if (taskId === undefined) return;
    const recorded = source.recorded?.(taskId);
    return recorded === undefined
      ? follow(source, { taskId, needsSubtasks }, setLoaded, { onError, onRenumbered })
      : show(recorded, needsSubtasks, setLoaded);
  }, [source, taskId, onError, needsSubtasks, onRenumbered]);
  return loaded?.trace.taskId === taskId ? loaded : undefined;
}

/** The events on which the laws are checked at once: a long trace is shown before it is checked. */
const LAWS_AT_ONCE = 10_000;

/** Show a recorded trace, and again once the laws are checked. Call the returned function to stop. */
function show(
  { trace, passSubtasks }: RecordedTask,
  needsSubtasks: boolean,
  onUpdate: (loaded: LoadedTrace) => void,
): () => void {
  const subtasks = new GrowingSubtasks();
  if (needsSubtasks) passSubtasks(sinkOf(subtasks, () => {}));
  const indexer = new TraceIndexer(trace);
  const update = (): void => {
    const snapshot = new TraceSnapshot(trace, indexer.index(0));
    onUpdate({ trace: snapshot, subtasks: subtasks.snapshot(), isLive: true });
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    if (indexer.checkLaws(LAWS_AT_ONCE)) update();
    else timer = setTimeout(check);
  };
  const isChecked = indexer.checkLaws(LAWS_AT_ONCE);
  update();
  if (!isChecked) timer = setTimeout(check);
  return () => clearTimeout(timer);
}

/** The shortest time between two updates: a stream may have a thousand events a second. */
const UPDATE_MS = 100;

interface FollowListeners {
  readonly onError: (message: string) => void;
  readonly onRenumbered: OnRenumbered;
}

function follow(
  source: PageSource,
  { taskId, needsSubtasks }: { readonly taskId: string; readonly needsSubtasks: boolean },
  onUpdate: (loaded: LoadedTrace) => void,
  { onError, onRenumbered }: FollowListeners,
): () => void {
  const growing = new GrowingTrace(taskId);
  const subtasks = new GrowingSubtasks();
  let isLive = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let updatedAt = Number.NEGATIVE_INFINITY;
  const schedule = (): void => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        updatedAt = performance.now();
        const placeOf = growing.merge();
        if (placeOf !== undefined) onRenumbered(placeOf);
        const trace = growing.snapshot(LAWS_AT_ONCE);
        if (trace.length > 0) onUpdate({ trace, subtasks: subtasks.snapshot(), isLive });
        if (!trace.index.laws.isComplete) schedule();
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
    ...(needsSubtasks && { subtasks: sinkOf(subtasks, schedule) }),
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** Passes the traces of subtasks on, and calls `onChange` after each change. */
const sinkOf = (subtasks: GrowingSubtasks, onChange: () => void): SubtaskSink => ({
  events(batch) {
    subtasks.append(batch);
    onChange();
  },
  failed(taskId, reason) {
    subtasks.fail(taskId, reason);
    onChange();
  },
  omitted(omitted) {
    subtasks.omit(omitted);
    onChange();
  },
});
