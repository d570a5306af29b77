import type { CoverageMeter } from "../coverage.ts";
import { type Exploration, MAX_STATES, type Violation } from "../exploration.ts";

/** One step of several tasks. */
export interface TasksStep<S> {
  readonly before: S;
  readonly move: string;
  readonly after: S;
}

/** A law of several tasks: a predicate over one step. */
export interface TasksLaw<S> {
  readonly id: string;
  readonly title: string;
  readonly violation: (step: TasksStep<S>) => string | undefined;
}

/** A step that several tasks can take. */
export interface Move<S> {
  readonly name: string;
  /** A stop of a process is no progress. */
  readonly isStop?: boolean;
  readonly next: S;
}

export interface SearchOptions {
  /** Default {@link MAX_STATES}. */
  readonly maxStates?: number;
  /** Whether to check that every state has a path to rest (L13). Default true. */
  readonly progress?: boolean;
  /** Called once per 100 expanded states. */
  readonly onProgress?: (progress: Pick<Exploration, "states" | "steps" | "depth">) => void;
}

/** Several tasks to explore. */
interface System<S> extends SearchOptions {
  readonly first: S;
  readonly moves: (state: S) => readonly Move<S>[];
  /** The key of a state: all that its future depends on, without times, ids and texts. */
  readonly keyOf: (state: S) => string;
  readonly laws: readonly TasksLaw<S>[];
  readonly isAtRest: (state: S) => boolean;
  readonly progressLaw: Pick<Violation, "law" | "title">;
  readonly meter: CoverageMeter;
}

export type TasksExploration = Omit<Exploration, "bounds" | "visited">;

interface Node<S> {
  readonly state: S;
  readonly from: Node<S> | undefined;
  readonly move: string;
  readonly predecessors: Set<Node<S>>;
  isExpanded: boolean;
}

const PROGRESS_INTERVAL = 100;

/** Explores the states of several tasks breadth first, until a law is violated. */
export class Search<S> {
  readonly #system: System<S>;
  readonly #maxStates: number;
  readonly #nodes = new Map<string, Node<S>>();
  readonly #violations: Violation[] = [];
  #steps = 0;
  #recoveries = 0;
  #expanded = 0;
  #depth = 0;

  constructor(system: System<S>) {
    this.#system = system;
    this.#maxStates = system.maxStates ?? MAX_STATES;
  }

  run(): TasksExploration {
    let level: readonly Node<S>[] = [this.#add(this.#system.first, undefined, "")];
    while (level.length > 0 && !this.#isOver()) {
      this.#depth += 1;
      level = this.#expandAll(level);
    }
    const all = [...this.#nodes.values()];
    const isChecked = this.#system.progress !== false && this.#violations.length === 0;
    return {
      states: all.length,
      steps: this.#steps,
      checked: this.#steps,
      recoveries: this.#recoveries,
      depth: this.#depth,
      complete: all.every(({ isExpanded }) => isExpanded),
      coverage: this.#system.meter.coverage,
      violations: isChecked ? withoutRest(all, this.#system) : this.#violations,
    };
  }

  #isOver(): boolean {
    return this.#violations.length > 0 || this.#nodes.size >= this.#maxStates;
  }

  #expandAll(level: readonly Node<S>[]): readonly Node<S>[] {
    const found: Node<S>[] = [];
    for (const node of level) {
      if (this.#isOver()) break;
      found.push(...this.#expand(node));
      this.#expanded += 1;
      const progress = { states: this.#nodes.size, steps: this.#steps, depth: this.#depth };
      if (this.#expanded % PROGRESS_INTERVAL === 0) this.#system.onProgress?.(progress);
    }
    return found;
  }

  /** The states that the moves of this one reach for the first time. */
  #expand(node: Node<S>): readonly Node<S>[] {
    node.isExpanded = true;
    const found: Node<S>[] = [];
    for (const { name, isStop = false, next } of this.#movesOf(node)) {
      this.#steps += 1;
      if (isStop) this.#recoveries += 1;
      this.#check(node, name, next);
      const known = this.#nodes.get(this.#system.keyOf(next));
      const to = known ?? this.#add(next, node, name);
      if (!isStop && to !== node) to.predecessors.add(node);
      if (known === undefined) found.push(to);
    }
    return found;
  }

  #add(state: S, from: Node<S> | undefined, move: string): Node<S> {
    const node: Node<S> = { state, from, move, predecessors: new Set(), isExpanded: false };
    this.#nodes.set(this.#system.keyOf(state), node);
    return node;
  }

  #check(node: Node<S>, move: string, after: S): void {
    for (const { id, title, violation } of this.#system.laws) {
      const what = violation({ before: node.state, move, after });
      if (what === undefined) continue;
      this.#violations.push({ law: id, title, what: withPath(what, node, move), path: [] });
    }
  }

  /** The moves of a state. A machine that throws breaks an invariant. */
  #movesOf(node: Node<S>): readonly Move<S>[] {
    try {
      return this.#system.moves(node.state);
    } catch (error) {
      const title = "the machine throws nothing";
      this.#violations.push({ law: "INVARIANT", title, what: withPath(String(error), node), path: [] });
      return [];
    }
  }
}

/** The text of a violation, with the moves that lead to it. */
function withPath<S>(what: string, node: Node<S>, last?: string): string {
  const path = last === undefined ? [] : [last];
  for (let at: Node<S> | undefined = node; at?.from !== undefined; at = at.from) path.push(at.move);
  return [what, ...path.reverse()].join("\n  ");
}

/** A state from which no moves lead to rest. */
function withoutRest<S>(
  all: readonly Node<S>[],
  { isAtRest, progressLaw }: Pick<System<S>, "isAtRest" | "progressLaw">,
): readonly Violation[] {
  const reaching = new Set(all.filter(({ state, isExpanded }) => isAtRest(state) || !isExpanded));
  for (const node of reaching) for (const before of node.predecessors) reaching.add(before);
  const stuck = all.find((node) => !reaching.has(node));
  if (stuck === undefined) return [];
  return [{ ...progressLaw, what: withPath("no moves lead from here to rest", stuck), path: [] }];
}
