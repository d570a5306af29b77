import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { abstractionOf } from "./abstraction.ts";
import { type Coverage, CoverageMeter } from "./coverage.ts";
import { type Bounds, crashesAt, eventsAt, NOTHING_SPENT, type Spent } from "./environment.ts";
import { Graph, type PathEvent, type Place } from "./graph.ts";
import { checkLaw, type Law, type Step, type View } from "./laws/index.ts";
import { MachineRunner } from "./runner.ts";
import { type SettledState, Stepper, type StepResult } from "./stepper.ts";

type Machine = typeof taskMachine;

export const DEFAULT_BOUNDS: Bounds = {
  turns: 2,
  calls: 2,
  blocks: 3,
  queued: 1,
  interruptions: 1,
  thinks: false,
  tools: ["read", "write", "command", "question", "complete"],
  crashes: 0,
};

/** The most states of an exploration that isn't told another number. */
export const MAX_STATES = 200_000;
/** How many states are left between two reports of how far it is. */
const STATES_A_REPORT = 100;

export interface ExploreOptions {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  readonly bounds?: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  /** What else may happen in a state, beside what the environment does there: of a machine that takes more. */
  readonly events?: (view: View) => readonly TaskEvent[];
  /** The most states that are visited; default {@link MAX_STATES}. */
  readonly maxStates?: number;
  /** The exploration ends at this many violations; default 1. */
  readonly maxViolations?: number;
  /** Whether a way to `idle` is looked for from every state (L13); default true. */
  readonly progress?: boolean;
  /** Told of each state, as its ways out are about to be taken. */
  readonly onState?: (visited: Visited) => void;
  /** Told now and then how far it is. */
  readonly onProgress?: (far: Pick<Exploration, "states" | "steps" | "depth">) => void;
}

/** A law that didn't hold, or that threw, and a shortest way there. */
export interface Violation {
  /** The law's id; L13, or INVARIANT for a machine that threw. */
  readonly law: string;
  /** Its title: several laws may share an id. */
  readonly title: string;
  readonly what: string;
  readonly path: readonly PathEvent[];
}

export interface Exploration {
  readonly bounds: Bounds;
  readonly states: number;
  readonly steps: number;
  /** Of the steps, those that changed something: each law looked at all of them. */
  readonly checked: number;
  /** Of the steps, those in which a task was opened again after its process ended. */
  readonly recoveries: number;
  readonly depth: number;
  /** Whether every state within the bounds was visited. */
  readonly complete: boolean;
  readonly coverage: Coverage;
  readonly violations: readonly Violation[];
}

/** A state that an exploration has reached, and the first way to it. */
export interface Visited extends SettledState {
  readonly spent: Spent;
  readonly path: () => readonly PathEvent[];
}

/** A state that is still to be left. Only these hold a snapshot. */
interface Visit extends SettledState {
  readonly place: Place;
  readonly spent: Spent;
}

/**
 * Walks the shipped machine breadth first through its pure transition function, with every event that its
 * environment may send, and, within its bounds, with an end of the process at every settled state. It holds the
 * laws against every macrostep. The first path to a violation is a shortest one. At the end it looks, from every
 * state, for a way to `idle` (L13). A law that throws is a violation of that law.
 *
 * The machine may be one whose actions or guards were replaced by `provide`; the laws may be anybody's.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { ALL_LAWS, explore, type Law } from "signalbox/verify";
 *
 * const frugal: Law = {
 *   id: "HOUSE-1",
 *   title: "a request costs at most a dollar",
 *   violation: ({ after }) => (after.context.usage.cost > 1 ? `it cost ${after.context.usage.cost}` : undefined),
 * };
 * const bounds = { turns: 1, calls: 0, blocks: 1, queued: 0, interruptions: 0 };
 * const { complete, violations } = explore({ machine: taskMachine, laws: [...ALL_LAWS, frugal], bounds });
 * console.log(complete, violations.length); // true 0
 * ```
 */
export function explore(options: ExploreOptions): Exploration {
  const { maxStates = MAX_STATES, maxViolations = 1, progress = true, onProgress } = options;
  const walk = new Walk(options, { ...DEFAULT_BOUNDS, ...options.bounds });
  let level: readonly Visit[] = [walk.first()];
  let depth = 0;
  const { graph, violations } = walk;
  for (; level.length > 0 && violations.length < maxViolations && graph.size < maxStates; depth += 1) {
    const next: Visit[] = [];
    for (const visit of level) {
      if (violations.length >= maxViolations || graph.size >= maxStates) break;
      walk.leave(visit, next);
      walk.left += 1;
      if (walk.left % STATES_A_REPORT === 0) onProgress?.({ states: graph.size, steps: walk.steps, depth });
    }
    level = next;
  }
  const complete = graph.isComplete();
  if (progress && violations.length === 0) violations.push(...walk.stuck());
  const { bounds, steps, checked, recoveries, coverage } = walk;
  return { bounds, states: graph.size, steps, checked, recoveries, depth, complete, coverage, violations };
}

class Walk {
  readonly bounds: Bounds;
  readonly graph = new Graph();
  readonly violations: Violation[] = [];
  /** States whose ways out were taken. */
  left = 0;
  steps = 0;
  checked = 0;
  recoveries = 0;
  readonly #options: ExploreOptions;
  readonly #meter: CoverageMeter;
  readonly #stepper: Stepper;

  constructor(options: ExploreOptions, bounds: Bounds) {
    const input = { taskId: "explored", ...options.input };
    this.#options = options;
    this.bounds = bounds;
    this.#meter = new CoverageMeter(options.machine);
    this.#stepper = new Stepper(new MachineRunner(options.machine, input), input);
  }

  get coverage(): Coverage {
    return this.#meter.coverage;
  }

  first(): Visit {
    const { first, firstTransitions } = this.#stepper;
    this.#meter.note(firstTransitions, first.snapshot);
    const key = abstractionOf(first.view, NOTHING_SPENT, this.bounds);
    const { place } = this.graph.reach(key, first.view.state, undefined, undefined);
    return { ...first, place, spent: NOTHING_SPENT };
  }

  /** Takes every way out of a state; adds the states that are new to `next`. */
  leave(visit: Visit, next: Visit[]): void {
    visit.place.isExpanded = true;
    const { place, snapshot, view, spent } = visit;
    this.#options.onState?.({ snapshot, view, spent, path: () => this.graph.pathTo(place) });
    for (const event of eventsAt(view, spent, this.bounds)) this.#go(visit, event, next);
    for (const event of this.#options.events?.(view) ?? []) this.#go(visit, event, next);
    for (const crash of crashesAt(view, spent, this.bounds)) this.#go(visit, crash, next);
  }

  /** States from which no events lead to idle, of those whose ways were all taken. */
  stuck(): Violation[] {
    const isIdle = ({ state }: Place) => state.startsWith("idle");
    const place = this.graph.nodesWithoutPathTo(isIdle)[0];
    if (place === undefined) return [];
    return [
      { ...PROGRESS, what: `no events lead from ${place.state} to idle`, path: this.graph.pathTo(place) },
    ];
  }

  #go(visit: Visit, pathEvent: PathEvent, next: Visit[]): void {
    this.steps += 1;
    if (pathEvent.type === "process.crashed") this.recoveries += 1;
    const stepped = this.#step(visit, pathEvent);
    if (stepped?.isChange !== true) return;
    this.#check(stepped.step, visit.place, pathEvent);
    const { after, emitted } = stepped.step;
    const spent = spend(visit.spent, pathEvent, emitted, this.bounds);
    const key = abstractionOf(after, spent, this.bounds);
    const { place, isNew } = this.graph.reach(key, after.state, visit.place, pathEvent);
    if (isNew) next.push({ place, snapshot: stepped.snapshot, view: after, spent });
  }

  /** Undefined, if the machine threw. */
  #step(visit: Visit, pathEvent: PathEvent): StepResult | undefined {
    try {
      const stepped = this.#stepper.step(visit, pathEvent);
      this.#meter.note(stepped.rows, stepped.snapshot);
      return stepped;
    } catch (error) {
      const path = this.graph.pathTo(visit.place, pathEvent);
      this.violations.push({ ...INVARIANT, what: String(error), path });
      return undefined;
    }
  }

  #check(step: Step, from: Place, pathEvent: PathEvent): void {
    this.checked += 1;
    for (const law of this.#options.laws) {
      const what = checkLaw(step, law);
      if (what === undefined) continue;
      const { id, title } = law;
      this.violations.push({ law: id, title, what, path: this.graph.pathTo(from, pathEvent) });
    }
  }
}

/** L13 is a law of the whole graph, and no predicate over one macrostep. */
export const PROGRESS = { law: "L13", title: "from every state some events lead to idle" } as const;
const INVARIANT = { law: "INVARIANT", title: "the machine throws nothing" } as const;

/** Requests are counted to one more than may be answered: those after that are all alike. */
function spend(spent: Spent, { type }: PathEvent, emitted: readonly TaskEmitted[], bounds: Bounds): Spent {
  const opened = emitted.filter(
    (piece) => piece.type === "effect.started" && piece.effect === "context",
  ).length;
  const interrupts = type === "task.cancel" || type === "journal.failed";
  return {
    queued: spent.queued + (type === "queue.added" ? 1 : 0),
    interruptions: spent.interruptions + (interrupts ? 1 : 0),
    requests: bounds.turns === "any" ? 0 : Math.min(spent.requests + opened, bounds.turns + 1),
    crashes: spent.crashes + (type === "process.crashed" ? 1 : 0),
  };
}
