import { getMicrosteps, initialTransition, type SnapshotFrom } from "xstate";
import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { abstractionOf } from "./abstraction.ts";
import { type Coverage, CoverageMeter } from "./coverage.ts";
import { type Bounds, eventsAt, NOTHING_SPENT, type Spent } from "./environment.ts";
import { Graph, type Place } from "./graph.ts";
import { aliveAfter, type Law, type Step, type View } from "./laws/index.ts";
import { pathOf } from "./path-of.ts";

type Machine = typeof taskMachine;
type Snapshot = SnapshotFrom<Machine>;

export const DEFAULT_BOUNDS: Bounds = {
  turns: 2,
  calls: 2,
  blocks: 3,
  queued: 1,
  interruptions: 1,
  thinks: false,
};

export interface ExploreOptions {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  readonly bounds?: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  /** The most states that are visited; default 200,000. */
  readonly maxStates?: number;
  /** The exploration ends at this many violations; default 1. */
  readonly maxViolations?: number;
}

/** A law that didn't hold, and a shortest way there. */
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
  readonly coverage: Coverage;
  readonly violations: readonly Violation[];
}

/** A state that is still to be left. Only these hold a snapshot. */
interface Visit {
  readonly place: Place;
  readonly snapshot: Snapshot;
  readonly alive: ReadonlySet<string>;
  readonly spent: Spent;
}

/**
 * Walks the shipped machine breadth first through its pure transition function, with every event that its
 * environment may send, and holds the laws against every macrostep. The first path to a violation is a
 * shortest one. At the end it looks, from every state, for a way to `idle` (L13).
 */
export function explore(options: ExploreOptions): Exploration {
  const { maxStates = 200_000, maxViolations = 1 } = options;
  const walk = new Walk(options, { ...DEFAULT_BOUNDS, ...options.bounds });
  let level: readonly Visit[] = [walk.first()];
  let depth = 0;
  const { graph, violations } = walk;
  for (; level.length > 0 && violations.length < maxViolations && graph.size < maxStates; depth += 1) {
    const next: Visit[] = [];
    for (const visit of level) {
      if (violations.length >= maxViolations || graph.size >= maxStates) break;
      walk.leave(visit, next);
    }
    level = next;
  }
  const complete = graph.isWhole();
  if (violations.length === 0) violations.push(...walk.stuck());
  const { bounds, steps, coverage } = walk;
  return { bounds, states: graph.size, steps, depth, complete, coverage, violations };
}

class Walk {
  readonly bounds: Bounds;
  readonly graph = new Graph();
  readonly violations: Violation[] = [];
  steps = 0;
  readonly #options: ExploreOptions;
  readonly #meter: CoverageMeter;

  constructor(options: ExploreOptions, bounds: Bounds) {
    this.#options = options;
    this.bounds = bounds;
    this.#meter = new CoverageMeter(options.machine);
  }

  get coverage(): Coverage {
    return this.#meter.coverage;
  }

  first(): Visit {
    const { machine, input } = this.#options;
    const [snapshot] = initialTransition(machine, { taskId: "explored", ...input });
    const state = pathOf(snapshot.value);
    this.#meter.enter(state);
    const alive = new Set<string>();
    const key = abstractionOf({ state, context: snapshot.context, alive }, NOTHING_SPENT);
    const { place } = this.graph.reach(key, state, undefined, undefined);
    return { place, snapshot, alive, spent: NOTHING_SPENT };
  }

  /** Takes every way out of a state; adds the states that are new to `next`. */
  leave(visit: Visit, next: Visit[]): void {
    const before: View = {
      state: pathOf(visit.snapshot.value),
      context: visit.snapshot.context,
      alive: visit.alive,
    };
    visit.place.isLeft = true;
    for (const event of eventsAt(before, visit.spent, this.bounds)) this.#go(visit, before, event, next);
  }

  /** States from which no events lead to idle, of those whose ways were all taken. */
  stuck(): Violation[] {
    const isIdle = ({ state }: Place) => state.startsWith("idle");
    const place = this.graph.withoutWayTo(isIdle)[0];
    if (place === undefined) return [];
    return [
      { law: "L13", what: `no events lead from ${place.state} to idle`, path: this.graph.pathTo(place) },
    ];
  }

  #go(visit: Visit, before: View, event: TaskEvent, next: Visit[]): void {
    this.steps += 1;
    const reached = this.#macrostep(visit, before, event);
    if (typeof reached === "string") {
      this.violations.push({ law: "INVARIANT", what: reached, path: this.graph.pathTo(visit.place, event) });
      return;
    }
    const { snapshot, emitted } = reached;
    if (emitted.length === 0 && snapshot.context === before.context) return;
    const alive = aliveAfter(visit.alive, emitted);
    const after: View = { state: pathOf(snapshot.value), context: snapshot.context, alive };
    this.#check({ before, event, after, emitted }, visit.place);
    const spent = spend(visit.spent, event, emitted, this.bounds);
    const found = this.graph.reach(abstractionOf(after, spent), after.state, visit.place, event);
    if (found.isNew) next.push({ place: found.place, snapshot, alive, spent });
  }

  /** The macrostep's end and what it emitted, or the error that it threw. */
  #macrostep(visit: Visit, before: View, event: TaskEvent) {
    try {
      const emitted: TaskEmitted[] = [];
      let at: Snapshot = visit.snapshot;
      let state = before.state;
      let isEventless = false;
      for (const [snapshot, actions] of getMicrosteps(this.#options.machine, visit.snapshot, event)) {
        if (actions.length > 0 || snapshot !== at) this.#meter.leave(state, at, event, isEventless);
        emitted.push(...emittedBy(actions));
        at = snapshot;
        state = pathOf(at.value);
        this.#meter.enter(state);
        isEventless = true;
      }
      return at.status === "error" ? String(at.error) : { snapshot: at, emitted };
    } catch (error) {
      return String(error);
    }
  }

  #check(step: Step, from: Place): void {
    for (const law of this.#options.laws) {
      const what = law.violation(step);
      if (what === undefined) continue;
      this.violations.push({ law: law.id, what, path: this.graph.pathTo(from, step.event) });
    }
  }
}

/** The pieces that pure transitions would emit. */
function emittedBy(actions: readonly { type: string; params?: unknown }[]): TaskEmitted[] {
  return actions.flatMap((action) => {
    if (action.type !== "xstate.emit") return [];
    const { event } = action.params as { event: TaskEmitted };
    return [event];
  });
}

/** Requests are counted to one more than may be answered: those after that are all alike. */
function spend(spent: Spent, event: TaskEvent, emitted: readonly TaskEmitted[], bounds: Bounds): Spent {
  const opened = emitted.filter(
    (piece) => piece.type === "effect.started" && piece.effect === "context",
  ).length;
  const interrupts = event.type === "task.cancel" || event.type === "journal.failed";
  return {
    queued: spent.queued + (event.type === "queue.added" ? 1 : 0),
    interruptions: spent.interruptions + (interrupts ? 1 : 0),
    requests: Math.min(spent.requests + opened, bounds.turns + 1),
  };
}
