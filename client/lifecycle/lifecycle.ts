import { filter, type Observable, Subject } from "rxjs";
import { type Clock, systemClock } from "../../actors/index.ts";
import type { Host, Task } from "../../runtime/index.ts";
import type { LifecycleEvent, LifecycleEventName, LifecycleEventOf } from "./events.ts";
import { ObservedTask } from "./observed-task.ts";
import type { TaskStatus } from "./status.ts";

/** How long an ask is open before its status is told, in milliseconds. */
export const STATUS_DELAY_MS = 2000;
/** The least time between two updates of the usage, in milliseconds. */
export const USAGE_THROTTLE_MS = 2000;

export interface LifecycleOptions {
  /** Time, for the status delay and the throttle. Default: the system's. */
  readonly clock?: Clock;
  /** Default {@link STATUS_DELAY_MS}. */
  readonly statusDelayMs?: number;
  /** Default {@link USAGE_THROTTLE_MS}. */
  readonly usageThrottleMs?: number;
}

/** What happens to the tasks of a host, as events with this family's names. */
export interface Lifecycle {
  /** From the subscription on. Completes when the lifecycle is closed. */
  readonly events$: Observable<LifecycleEvent>;
  /** Calls `listener` for each event of this name. The function it gives ends that. */
  on<K extends LifecycleEventName>(name: K, listener: (event: LifecycleEventOf<K>) => void): () => void;
  /** What was told last of a task's asks: `running`, also for the time of the status delay. Undefined for one that isn't open. */
  status(taskId: string): TaskStatus | undefined;
  /** Observes no more, and stops every deadline. The host and its tasks go on. */
  close(): void;
}

/**
 * The lifecycle of a host's tasks, subtasks too: read off their durable commits, so that what it tells has happened.
 * It adds nothing to the tasks. Those that are open already are followed from now on. See docs/lifecycle.md.
 *
 * @example
 * ```ts
 * import { createHost } from "signalbox";
 * import { lifecycleOf } from "signalbox/client";
 * const host = createHost();
 * const lifecycle = lifecycleOf(host);
 * lifecycle.on("taskInteractive", ({ taskId, askId, ask }) => console.log(taskId, "waits:", ask, askId));
 * lifecycle.on("taskCompleted", ({ taskId, tokenUsage }) => console.log(taskId, tokenUsage.totalCost));
 * ```
 */
export function lifecycleOf(
  host: Pick<Host, "tasks" | "opened$" | "focus">,
  options: LifecycleOptions = {},
): Lifecycle {
  const {
    clock = systemClock,
    statusDelayMs = STATUS_DELAY_MS,
    usageThrottleMs = USAGE_THROTTLE_MS,
  } = options;
  const events = new Subject<LifecycleEvent>();
  const tell = (event: LifecycleEvent): void => events.next(event);
  const observed = new Map<string, ObservedTask>();
  const focus = new FocusWatch(host);

  const tellFocus = (rootId: string): void => {
    const { left, come } = focus.look(rootId);
    for (const taskId of left) tell({ type: "taskUnfocused", taskId });
    for (const taskId of come) tell({ type: "taskFocused", taskId });
  };
  const observe = (task: Task): ObservedTask => {
    const { id, rootId } = task;
    const each = new ObservedTask(
      task,
      { clock, statusDelayMs, usageThrottleMs },
      {
        tell,
        refocus: () => tellFocus(rootId),
        onEnd: () => {
          if (observed.get(id) !== each) return;
          observed.delete(id);
          focus.remove(task);
          tellFocus(rootId);
        },
      },
    );
    observed.set(id, each);
    focus.add(task);
    return each;
  };

  for (const task of host.tasks.values()) {
    observe(task).start();
    focus.look(task.rootId);
  }
  const opened = host.opened$.subscribe((task) => {
    const { id: taskId, instanceId, parent, rootId, log } = task;
    const each = observe(task);
    const isReopened = log.length > 0;
    tell({ type: "taskCreated", taskId, instanceId, isReopened });
    tellFocus(rootId);
    if (parent !== undefined && !isReopened)
      tell({ type: "taskDelegated", taskId: parent.taskId, childTaskId: taskId });
    each.start();
  });
  const events$ = events.asObservable();
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

/** Who is the last of their stack, family by family. */
class FocusWatch {
  readonly #host: Pick<Host, "focus">;
  readonly #families = new Map<string, Set<Task>>();
  readonly #focused = new Map<string, ReadonlySet<string>>();

  constructor(host: Pick<Host, "focus">) {
    this.#host = host;
  }

  add(task: Task): void {
    this.#families.set(task.rootId, (this.#families.get(task.rootId) ?? new Set()).add(task));
  }

  remove(task: Task): void {
    this.#families.get(task.rootId)?.delete(task);
  }

  /** Who has lost the focus of this family, and who has come to it. */
  look(rootId: string): { readonly left: readonly string[]; readonly come: readonly string[] } {
    const family = this.#families.get(rootId) ?? new Set();
    const before = this.#focused.get(rootId) ?? new Set();
    const now = new Set([...family].flatMap(({ id }) => this.#host.focus(id)?.id ?? []));
    if (family.size === 0) {
      this.#families.delete(rootId);
      this.#focused.delete(rootId);
    } else this.#focused.set(rootId, now);
    return {
      left: [...before].filter((id) => !now.has(id)),
      come: [...now].filter((id) => !before.has(id)),
    };
  }
}
