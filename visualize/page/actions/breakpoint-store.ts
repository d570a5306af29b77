import type { Breakpoints, SetBreakpoints, TaskActions } from "../source.ts";
import { keepBreakpoints } from "./kept-breakpoints.ts";

const NONE: SetBreakpoints = { states: [], events: [], laws: false, pause: false };

/** The breakpoints of a task, as the page last read or set them. All parts of the page show the same. */
export class BreakpointStore {
  readonly #taskId: string;
  readonly #actions: TaskActions;
  readonly #listeners = new Set<() => void>();
  #now = NONE;

  constructor(taskId: string, actions: TaskActions) {
    this.#taskId = taskId;
    this.#actions = actions;
  }

  readonly read = (): SetBreakpoints => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Read them from the server: another client may have changed them. */
  async load(): Promise<void> {
    this.#show(await this.#actions.breakpoints(this.#taskId));
  }

  /** Change the server's breakpoints, and keep them for the next time that the task is opened. */
  async change(update: (before: Breakpoints) => Partial<Breakpoints>): Promise<void> {
    // It is shown at once; the server's present ones decide.
    this.#show({ ...this.#now, ...update(this.#now) });
    const { lifted: _, ...before } = await this.#actions.breakpoints(this.#taskId);
    const next = { ...before, ...update(before) };
    this.#show(next);
    // Kept before the answer: the page may be left while the server sets them.
    keepBreakpoints(this.#taskId, next);
    await this.#actions.setBreakpoints(this.#taskId, next);
  }

  #show(next: SetBreakpoints): void {
    this.#now = next;
    for (const listener of this.#listeners) listener();
  }
}

const STORES = new WeakMap<TaskActions, Map<string, BreakpointStore>>();

/** The store of a task: the same one for the same actions. */
export function breakpointStore(taskId: string, actions: TaskActions): BreakpointStore {
  const stores = STORES.get(actions) ?? new Map<string, BreakpointStore>();
  STORES.set(actions, stores);
  const store = stores.get(taskId) ?? new BreakpointStore(taskId, actions);
  stores.set(taskId, store);
  return store;
}
