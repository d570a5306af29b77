import type { TaskInput } from "../machines/task/task.context.ts";
import type { TaskEvent } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import { abstractionOf } from "./abstraction.ts";
import { type Bounds, NO_EXTRAS, NOTHING_SPENT, type Spent } from "./bounds.ts";
import { type Coverage, CoverageMeter } from "./coverage.ts";
import { crashesAt, eventsAt } from "./environment.ts";
import { Graph, type GraphNode, type PathEvent } from "./graph.ts";
import { interferenceOf, NON_INTERFERENCE, withOtherRationales } from "./interference.ts";
import {
  checkLaw,
  type Law,
  type PathLaw,
  type PathMemory,
  remember,
  type Step,
  type View,
} from "./laws/law.ts";
import { MachineRunner } from "./runner.ts";
import { type SettledState, Stepper, type StepResult } from "./stepper.ts";

type Machine = typeof taskMachine;

export const DEFAULT_BOUNDS: Bounds = {
  turns: 2,
  calls: 2,
  blocks: 3,
  queued: 1,
  interruptions: 1,
  ...NO_EXTRAS,
  tools: ["read", "write", "command", "question", "complete"],
  crashes: 0,
};

/** Default limit of visited states. */
export const MAX_STATES = 200_000;
/** Expanded states between two progress reports. */
const PROGRESS_INTERVAL = 100;

/** Options of {@link explore}. */
export interface ExploreOptions {
  readonly machine: Machine;
  readonly laws: readonly Law[];
  /** Laws of whole paths. Default none. */
  readonly pathLaws?: readonly PathLaw[];
  readonly bounds?: Partial<Bounds>;
  readonly input?: Partial<TaskInput>;
  /** Events in addition to the environment's, for a machine that accepts more. */
  readonly events?: (view: View) => readonly TaskEvent[];
  /** Limit of visited states. Default 200,000. */
  readonly maxStates?: number;
  /** Number of violations that ends the exploration. Default 1. */
  readonly maxViolations?: number;
  /** Whether to check that every state has a path to `idle` (L13). Default true. */
  readonly progress?: boolean;
  /** Whether to check that the rationales of monitors change nothing (NI). Default true. */
  readonly interference?: boolean;
  /** Called with each state before it is expanded. */
  readonly onState?: (visited: Visited) => void;
  /** Called once per 100 expanded states. */
  readonly onProgress?: (progress: Pick<Exploration, "states" | "steps" | "depth">) => void;
}

/** A violated law, or one that threw, with a shortest path. */
export interface Violation {
  /** Id of the law; `L13`, or `INVARIANT` for a machine that threw. */
  readonly law: string;
  /** Title of the law: several laws may share an id. */
  readonly title: string;
  readonly what: string;
  readonly path: readonly PathEvent[];
}

/** The result of {@link explore}. */
export interface Exploration {
  readonly bounds: Bounds;
  readonly states: number;
  readonly steps: number;
  /** Steps that changed something. Each was checked against every law. */
  readonly checked: number;
  /** Steps in which a task was reopened after a crash. */
  readonly recoveries: number;
  readonly depth: number;
  /** Whether every state within the bounds was visited. */
  readonly complete: boolean;
  readonly coverage: Coverage;
  /** The number of visited states by the state of the machine, as a dotted path. */
  readonly visited: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

/** A state reached by an exploration, with the first path to it. */
export interface Visited extends SettledState {
  readonly spent: Spent;
  readonly path: () => readonly PathEvent[];
}

/** A state that is not expanded yet. Only these hold a snapshot. */
interface FrontierState extends SettledState {
  readonly node: GraphNode;
  readonly spent: Spent;
  /** The memory of each law of paths. */
  readonly memories: readonly PathMemory[];
}

/**
 * Explore the state space of the machine breadth first, through its pure transition function: every event of the
 * environment and, within the bounds, a crash at every settled state. Every macrostep is checked against the laws,
 * so the first path to a violation is a shortest one. At the end every state must have a path to `idle` (L13). A
 * law that throws is violated.
 *
 * The machine may have actions or guards replaced by `provide`. Laws may be your own.
 *
 * @example
 * ```ts
 * import { taskMachine } from "signalbox/machines";
 * import { ALL_LAWS, explore, type Law } from "signalbox/verify";
 *
 * const cheap: Law = {
 *   id: "COST",
 *   title: "a request costs at most a dollar",
 *   violation: ({ after }) => ((after.context.usage.cost ?? 0) > 1 ? `it cost ${after.context.usage.cost}` : undefined),
 * };
 * const bounds = { turns: 1, calls: 0, blocks: 1, queued: 0, interruptions: 0 };
 * const { complete, violations } = explore({ machine: taskMachine, laws: [...ALL_LAWS, cheap], bounds });
 * console.log(complete, violations.length); // true 0
 * ```
 */
export function explore(options: ExploreOptions): Exploration {
  const { maxStates = MAX_STATES, maxViolations = 1, progress = true, onProgress } = options;
  const explorer = new Explorer(options, { ...DEFAULT_BOUNDS, ...options.bounds });
  let level: readonly FrontierState[] = [explorer.first()];
  let depth = 0;
  const { graph, violations } = explorer;
  for (; level.length > 0 && violations.length < maxViolations && graph.size < maxStates; depth += 1) {
    const next: FrontierState[] = [];
    for (const state of level) {
      if (violations.length >= maxViolations || graph.size >= maxStates) break;
      explorer.expand(state, next);
      explorer.expanded += 1;
      if (explorer.expanded % PROGRESS_INTERVAL === 0)
        onProgress?.({ states: graph.size, steps: explorer.steps, depth });
    }
    level = next;
  }
  const complete = graph.isComplete();
  if (progress && violations.length === 0) violations.push(...explorer.statesWithoutProgress());
  const { bounds, steps, checked, recoveries, coverage } = explorer;
  const sizes = { bounds, states: graph.size, steps, checked, recoveries, depth };
  return { ...sizes, complete, coverage, visited: graph.sizeByState(), violations };
}

class Explorer {
  readonly bounds: Bounds;
  readonly graph = new Graph();
  readonly violations: Violation[] = [];
  /** Number of expanded states. */
  expanded = 0;
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

  first(): FrontierState {
    const { first, firstTransitions } = this.#stepper;
    this.#meter.note(firstTransitions, first.snapshot);
    const memories = (this.#options.pathLaws ?? []).map(({ start }) => start);
    const key = keyOf(abstractionOf(first.view, NOTHING_SPENT, this.bounds), memories);
    const { node } = this.graph.add(key, first.view.state, undefined, undefined);
    return { ...first, node, spent: NOTHING_SPENT, memories };
  }

  /** Take every event of a state; add new states to `next`. */
  expand(from: FrontierState, next: FrontierState[]): void {
    from.node.isExpanded = true;
    const { node, snapshot, view, spent } = from;
    this.#options.onState?.({ snapshot, view, spent, path: () => this.graph.pathTo(node) });
    for (const event of eventsAt(view, spent, this.bounds))
      this.#follow(from, judgedBy(from.memories, event), next);
    for (const event of this.#options.events?.(view) ?? []) this.#follow(from, event, next);
    for (const crash of crashesAt(view, spent, this.bounds)) this.#follow(from, crash, next);
  }

  /** A violation of L13: an expanded state without a path to `idle`. */
  statesWithoutProgress(): Violation[] {
    const isIdle = ({ state }: GraphNode) => state.startsWith("idle");
    const node = this.graph.nodesWithoutPathTo(isIdle)[0];
    if (node === undefined) return [];
    const what = `no events lead from ${node.state} to idle`;
    return [{ ...PROGRESS, what, path: this.graph.pathTo(node) }];
  }

  #follow(from: FrontierState, pathEvent: PathEvent, next: FrontierState[]): void {
    this.steps += 1;
    if (pathEvent.type === "process.crashed") this.recoveries += 1;
    const result = this.#step(from, pathEvent);
    if (result !== undefined) this.#meter.note(result.transitions, result.snapshot);
    if (result?.isChange !== true) return;
    const { after, emitted } = result.step;
    this.#meter.noteCalls(emitted);
    const spent = spentAfter(from.spent, pathEvent, emitted, this.bounds);
    const memories = this.#remember(from, result.step, pathEvent);
    const key = keyOf(abstractionOf(after, spent, this.bounds), memories);
    const { node, isNew } = this.graph.add(key, after.state, from.node, pathEvent);
    // A new state where the task can be passivated is the state of the activated task (law PASSIVE).
    const active = isNew ? this.#stepper.activate(result) : undefined;
    const step = active === undefined ? result.step : { ...result.step, activated: active.view };
    this.#check(step, from.node, pathEvent);
    if (this.#options.interference ?? true) this.#compare(from, step, pathEvent);
    if (isNew) next.push({ snapshot: result.snapshot, view: after, ...active, node, spent, memories });
  }

  /** Check that the rationales of monitors change nothing (NI). */
  #compare(from: FrontierState, step: Step, pathEvent: PathEvent): void {
    const twin = withOtherRationales(pathEvent);
    const other = twin && this.#step(from, twin);
    const what = other && interferenceOf(step, other.step);
    if (what === undefined) return;
    this.violations.push({ ...NON_INTERFERENCE, what, path: [...this.graph.pathTo(from.node), pathEvent] });
  }

  /** Run one macrostep. Returns undefined if the machine threw. */
  #step(from: FrontierState, pathEvent: PathEvent): StepResult | undefined {
    try {
      return this.#stepper.step(from, pathEvent);
    } catch (error) {
      const path = this.graph.pathTo(from.node, pathEvent);
      this.violations.push({ ...INVARIANT, what: String(error), path });
      return undefined;
    }
  }

  /** Add the macrostep to the memories of the laws of paths, and report their violations. */
  #remember({ node, memories }: FrontierState, step: Step, pathEvent: PathEvent): readonly PathMemory[] {
    return memories.map((before, at) => {
      const { memory, violation: what } = remember(step, before);
      const { id: law = "", title = "" } = this.#options.pathLaws?.[at] ?? {};
      if (what !== undefined)
        this.violations.push({ law, title, what, path: this.graph.pathTo(node, pathEvent) });
      return memory;
    });
  }

  #check(step: Step, from: GraphNode, pathEvent: PathEvent): void {
    this.checked += 1;
    for (const law of this.#options.laws) {
      const what = checkLaw(step, law);
      if (what === undefined) continue;
      const { id, title } = law;
      this.violations.push({ law: id, title, what, path: this.graph.pathTo(from, pathEvent) });
    }
  }
}

/** The event as it comes where laws of paths are enforced: a call is judged by them, and by nothing else. */
function judgedBy(memories: readonly PathMemory[], event: TaskEvent): TaskEvent {
  if (event.type !== "call.reviewed" || !event.review.valid || event.review.start === undefined) return event;
  const { review } = event;
  const enforced = memories.flatMap(({ objectionsTo }) => objectionsTo?.(review) ?? []);
  if (enforced.length === 0) return event;
  const policy = enforced.find((objections) => objections.policy !== undefined)?.policy;
  const person = enforced.find((objections) => objections.person !== undefined)?.person;
  const { facts } = event.review.start;
  const start = { facts, ...(policy && { policy }), ...(person && { person }) };
  return { ...event, review: { ...review, start } };
}

/** The key of a state, in which laws of paths remember different things in different states. */
const keyOf = (abstraction: string, memories: readonly PathMemory[]): string =>
  [abstraction, ...memories.map(({ key }) => key)].join("\n");

/** L13, a property of the whole graph. */
export const PROGRESS = { law: "L13", title: "from every state some events lead to idle" } as const;
const INVARIANT = { law: "INVARIANT", title: "the machine throws nothing" } as const;

/** Count what a step spends. Requests saturate one above the bound: all later ones are alike. */
function spentAfter(spent: Spent, { type }: PathEvent, emitted: Step["emitted"], bounds: Bounds): Spent {
  const opened = emitted.filter((one) => one.type === "effect.started" && one.effect === "context").length;
  const interrupts = type === "task.cancel" || type === "journal.failed";
  return {
    queued: spent.queued + (type === "queue.added" ? 1 : 0),
    interruptions: spent.interruptions + (interrupts ? 1 : 0),
    requests: bounds.turns === "any" ? 0 : Math.min(spent.requests + opened, bounds.turns + 1),
    crashes: spent.crashes + (type === "process.crashed" ? 1 : 0),
  };
}
