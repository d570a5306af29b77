import { filter, type Observable, Subject } from "rxjs";
import { ContainedObservable } from "../../actors/protocol/contained.ts";
import { systemClock } from "../../actors/protocol/edge.ts";
import { throwUncaught } from "../../actors/protocol/uncaught.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../../runtime/host.ts";
import type { EndedSubtask, Task } from "../../runtime/task/task.ts";
import type { EmitEvent, LifecycleEvent, LifecycleEventName, LifecycleEventOf } from "./events.ts";
import { ObservedTask } from "./observed-task.ts";
import type { TaskStatus } from "./status.ts";

/** Default time for which an ask is open before its status is emitted, in milliseconds. */
export const STATUS_DELAY_MS = 2000;
/** Default minimum interval of usage updates, in milliseconds. */
export const USAGE_THROTTLE_MS = 2000;

/** Options of {@link observeLifecycle}. */
export interface LifecycleOptions {
  /** Clock for the status delay and the throttle. Default: the system's. */
  readonly clock?: Clock;
  /** Milliseconds until a state counts as interactive, idle or resumable. Default 2,000. */
  readonly statusDelayMs?: number;
  /** Milliseconds between two events about usage. Default 2,000. */
  readonly usageThrottleMs?: number;
  /** Called with the error or rejection of a listener. Default: thrown as uncaught. */
  readonly onError?: (error: unknown) => void;
}

/** The lifecycle events of a host's tasks, with Roo Code's names. */
export interface Lifecycle {
  /** The events from the subscription on. Completes when the lifecycle is closed. */
  readonly events$: Observable<LifecycleEvent>;
  /** Call `listener` for each event of this name. The returned function unsubscribes. */
  on<K extends LifecycleEventName>(name: K, listener: (event: LifecycleEventOf<K>) => void): () => void;
  /** The status of a task: `running` also during the status delay. Undefined for a task that is not open. */
  status(taskId: string): TaskStatus | undefined;
  /** Stop observing and cancel all timers. The host and its tasks continue. */
  close(): void;
}

/**
 * Observe the lifecycle of a host's tasks, including subtasks. Events derive from durable commits. Tasks that are open
 * already are observed from now on. See docs/reference/lifecycle-events.md.
 *
 * @example
 * ```ts
 * import { createHost } from "signalbox";
 * import { observeLifecycle } from "signalbox/client";
 * const host = createHost();
 * const lifecycle = observeLifecycle(host);
 * lifecycle.on("taskInteractive", ({ taskId, askId, ask }) => console.log(taskId, "waits:", ask, askId));
 * lifecycle.on("taskCompleted", ({ taskId, tokenUsage }) => console.log(taskId, tokenUsage.totalCost));
 * ```
 */
export function observeLifecycle(
  host: Pick<Host, "tasks" | "opened$" | "focus">,
  options: LifecycleOptions = {},
): Lifecycle {
  const { clock = systemClock, statusDelayMs = STATUS_DELAY_MS } = options;
  const { usageThrottleMs = USAGE_THROTTLE_MS, onError = throwUncaught } = options;
  const events = new Subject<LifecycleEvent>();
  const emit = (event: LifecycleEvent): void => events.next(event);
  const observed = new Map<string, ObservedTask>();
  const focus = new FocusTracker(host);

  const emitFocus = (rootId: string): void => {
    const { lost, gained } = focus.update(rootId);
    for (const taskId of lost) emit({ type: "taskUnfocused", taskId });
    for (const taskId of gained) emit({ type: "taskFocused", taskId });
  };
  const observe = (task: Task): ObservedTask => {
    const { id, rootId } = task;
    const each = new ObservedTask(
      task,
      { clock, statusDelayMs, usageThrottleMs },
      {
        emit,
        refocus: () => emitFocus(rootId),
        onEnd: () => {
          if (observed.get(id) !== each) return;
          observed.delete(id);
          focus.remove(task);
          emitFocus(rootId);
        },
      },
    );
    observed.set(id, each);
    focus.add(task);
    return each;
  };

  for (const task of host.tasks.values()) {
    observe(task).start();
    focus.update(task.rootId);
  }
  const opened = host.opened$.subscribe((task) => {
    const { id: taskId, instanceId, rootId, log } = task;
    const each = observe(task);
    const isReopened = log.length > 0;
    emit({ type: "taskCreated", taskId, instanceId, isReopened });
    emitFocus(rootId);
    for (const ended of task.endedSubtasks) emitDelegationEnd(emit, taskId, ended);
    each.start();
  });
  const events$ = new ContainedObservable(events, onError);
  return {
    events$,
    on(name, listener) {
      const isNamed = (event: LifecycleEvent): event is LifecycleEventOf<typeof name> => event.type === name;
      const subscription = events$.pipe(filter(isNamed)).subscribe(listener);
      return () => subscription.unsubscribe();
    },
    status: (taskId) => observed.get(taskId)?.status,
    close() {
      opened.unsubscribe();
      for (const each of observed.values()) each.stop();
      observed.clear();
      events.complete();
    },
  };
}

/** The end of a subtask that its parent took over when it was opened: before, it was in no commit. */
function emitDelegationEnd(emit: EmitEvent, taskId: string, { childTaskId, end }: EndedSubtask): void {
  if (end.kind === "finished")
    emit({ type: "taskDelegationCompleted", taskId, childTaskId, summary: end.result });
  emit({ type: "taskDelegationResumed", taskId, childTaskId });
}

/** Tracks the focused tasks of each subtask tree. */
class FocusTracker {
  readonly #host: Pick<Host, "focus">;
  readonly #trees = new Map<string, Set<Task>>();
  readonly #focused = new Map<string, ReadonlySet<string>>();

  constructor(host: Pick<Host, "focus">) {
    this.#host = host;
  }

  add(task: Task): void {
    this.#trees.set(task.rootId, (this.#trees.get(task.rootId) ?? new Set()).add(task));
  }

  remove(task: Task): void {
    this.#trees.get(task.rootId)?.delete(task);
  }

  /** Update the focus of a subtask tree; returns the tasks that lost it, and those that gained it. */
  update(rootId: string): { readonly lost: readonly string[]; readonly gained: readonly string[] } {
    const tree = this.#trees.get(rootId) ?? new Set();
    const before = this.#focused.get(rootId) ?? new Set();
    const now = new Set([...tree].flatMap(({ id }) => this.#host.focus(id)?.id ?? []));
    if (tree.size === 0) {
      this.#trees.delete(rootId);
      this.#focused.delete(rootId);
    } else this.#focused.set(rootId, now);
    return {
      lost: [...before].filter((id) => !now.has(id)),
      gained: [...now].filter((id) => !before.has(id)),
    };
  }
}
