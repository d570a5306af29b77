import { initialTransition, type SnapshotFrom, transition } from "xstate";
import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { abstractionOf } from "./abstraction.ts";
import { type Bounds, eventsAt, type Spent } from "./environment.ts";
import type { Law, View } from "./laws/index.ts";
import { pathOf } from "./path-of.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

export const DEFAULT_BOUNDS: Bounds = { turns: 2, calls: 2, blocks: 3, queued: 1, interruptions: 1 };

export interface ExploreOptions {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  readonly bounds?: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  /** The most states that are visited. */
  readonly maxStates?: number;
  /** The exploration ends at this many violations. */
  readonly maxViolations?: number;
}

/** A law that didn't hold, and the shortest way there. */
export interface Violation {
  readonly law: string;
  readonly what: string;
  readonly path: readonly TaskEvent[];
}

export interface Exploration {
  readonly bounds: Bounds;
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  /** Whether every state within the bounds was visited. */
  readonly complete: boolean;
  /** Every state of the machine that was taken, as dotted paths. */
  readonly visited: ReadonlySet<string>;
  /** Every event by which a state was changed or left, as `state event state`. */
  readonly taken: ReadonlySet<string>;
  readonly violations: readonly Violation[];
}

interface Visit {
  readonly snapshot: Snapshot;
  readonly spent: Spent;
  readonly event: TaskEvent | undefined;
  readonly from: Visit | undefined;
}

/**
 * Walks the shipped machine breadth first through its pure transition function, with every event that its
 * environment may send, and holds the laws against every macrostep. The first path to a violation is a
 * shortest one.
 */
export function explore(options: ExploreOptions): Exploration {
  const { machine, maxStates = 200_000, maxViolations = 1 } = options;
  const walk = new Walk(options, { ...DEFAULT_BOUNDS, ...options.bounds });
  const [snapshot] = initialTransition(machine, { taskId: "explored", ...options.input });
  let level: readonly Visit[] = [
    { snapshot, spent: { interruptions: 0, queued: 0 }, event: undefined, from: undefined },
  ];
  let depth = 0;
  const goesOn = () =>
    level.length > 0 && walk.seen.size < maxStates && walk.violations.length < maxViolations;
  for (; goesOn(); depth += 1) level = level.flatMap((visit) => walk.leave(visit));
  const { bounds, seen, steps, visited, taken, violations } = walk;
  return {
    bounds,
    states: seen.size,
    steps,
    depth,
    complete: level.length === 0,
    visited,
    taken,
    violations,
  };
}

class Walk {
  readonly bounds: Bounds;
  readonly seen = new Set<string>();
  readonly visited = new Set<string>();
  readonly taken = new Set<string>();
  readonly violations: Violation[] = [];
  steps = 0;
  readonly #options: ExploreOptions;

  constructor(options: ExploreOptions, bounds: Bounds) {
    this.#options = options;
    this.bounds = bounds;
  }

  /** Takes every way out of a state; gives the states that are new. */
  leave(visit: Visit): Visit[] {
    const before = viewOf(visit.snapshot);
    this.visited.add(before.state);
    return eventsAt(before, visit.spent, this.bounds).flatMap((event) => this.#go(visit, before, event));
  }

  #go(visit: Visit, before: View, event: TaskEvent): Visit[] {
    const [snapshot, actions] = transition(this.#options.machine, visit.snapshot, event);
    this.steps += 1;
    const after = viewOf(snapshot);
    const reached: Visit = { snapshot, spent: spend(visit.spent, event), event, from: visit };
    const step = { before, event, after, emitted: emittedBy(actions) };
    if (step.emitted.length > 0) this.taken.add(`${before.state} ${event.type} ${after.state}`);
    for (const law of this.#options.laws) {
      const what = snapshot.status === "error" ? String(snapshot.error) : law.violation(step);
      if (what !== undefined) this.violations.push({ law: law.id, what, path: pathTo(reached) });
    }
    const key = abstractionOf(after, reached.spent);
    if (this.seen.has(key)) return [];
    this.seen.add(key);
    return [reached];
  }
}

const viewOf = (snapshot: Snapshot): View => ({ state: pathOf(snapshot.value), context: snapshot.context });

/** The pieces that a pure transition would emit. */
function emittedBy(actions: readonly { type: string; params?: unknown }[]): TaskEmitted[] {
  return actions.flatMap((action) => {
    if (action.type !== "xstate.emit") return [];
    const { event } = action.params as { event: TaskEmitted };
    return [event];
  });
}

function spend(spent: Spent, event: TaskEvent): Spent {
  if (event.type === "queue.added") return { ...spent, queued: spent.queued + 1 };
  const interrupts = event.type === "task.cancel" || event.type === "journal.failed";
  return interrupts ? { ...spent, interruptions: spent.interruptions + 1 } : spent;
}

function pathTo(visit: Visit): TaskEvent[] {
  const path: TaskEvent[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.from)
    if (at.event !== undefined) path.unshift(at.event);
  return path.reverse();
}
