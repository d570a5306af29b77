import type { taskMachine } from "../../machines/task/task.machine.ts";
import { CoverageMeter } from "../coverage.ts";
import { type Exploration, MAX_STATES, type Violation } from "../exploration.ts";
import { isAtRest, PAIR_LAWS, PAIR_PROGRESS, type PairLaw } from "./laws.ts";
import { type OpenTask, type PairCommit, type PairJournal, stateOf } from "./open-task.ts";
import { type Pair, type PairRules, PairStepper, SHIPPED_RULES } from "./pair.ts";
import { callNames } from "./script.ts";

export interface PairOptions {
  readonly machine: typeof taskMachine;
  readonly laws?: readonly PairLaw[];
  /** Parts of the composition that are replaced. Default: as shipped. */
  readonly rules?: Partial<PairRules>;
  /** Default {@link MAX_STATES}. */
  readonly maxStates?: number;
  /** Whether to check that every state has a path to rest (L13). Default true. */
  readonly progress?: boolean;
  /** Called once per 100 expanded states. */
  readonly onProgress?: (progress: Pick<Exploration, "states" | "steps" | "depth">) => void;
}

export type PairExploration = Omit<Exploration, "bounds" | "visited">;

interface Node {
  readonly pair: Pair;
  readonly from: Node | undefined;
  readonly move: string;
  readonly predecessors: Set<Node>;
  isExpanded: boolean;
}

const PROGRESS_INTERVAL = 100;

/** Explore a parent and its subtask breadth first, until a law is violated. */
export const explorePair = (options: PairOptions): PairExploration => new PairSearch(options).run();

class PairSearch {
  readonly #meter: CoverageMeter;
  readonly #stepper: PairStepper;
  readonly #laws: readonly PairLaw[];
  readonly #options: PairOptions;
  readonly #maxStates: number;
  readonly #nodes = new Map<string, Node>();
  readonly #violations: Violation[] = [];
  #steps = 0;
  #recoveries = 0;
  #expanded = 0;
  #depth = 0;

  constructor(options: PairOptions) {
    const { machine, rules, laws = PAIR_LAWS, maxStates = MAX_STATES } = options;
    this.#meter = new CoverageMeter(machine);
    this.#stepper = new PairStepper(machine, { ...SHIPPED_RULES, ...rules }, this.#meter);
    this.#options = options;
    this.#laws = laws;
    this.#maxStates = maxStates;
  }

  run(): PairExploration {
    let level: readonly Node[] = [this.#add(this.#stepper.first(), undefined, "")];
    while (level.length > 0 && !this.#isOver()) {
      this.#depth += 1;
      level = this.#expandAll(level);
    }
    const all = [...this.#nodes.values()];
    const isChecked = this.#options.progress !== false && this.#violations.length === 0;
    return {
      states: all.length,
      steps: this.#steps,
      checked: this.#steps,
      recoveries: this.#recoveries,
      depth: this.#depth,
      complete: all.every(({ isExpanded }) => isExpanded),
      coverage: this.#meter.coverage,
      violations: isChecked ? withoutRest(all) : this.#violations,
    };
  }

  #isOver(): boolean {
    return this.#violations.length > 0 || this.#nodes.size >= this.#maxStates;
  }

  #expandAll(level: readonly Node[]): readonly Node[] {
    const found: Node[] = [];
    for (const node of level) {
      if (this.#isOver()) break;
      found.push(...this.#expand(node));
      this.#expanded += 1;
      const progress = { states: this.#nodes.size, steps: this.#steps, depth: this.#depth };
      if (this.#expanded % PROGRESS_INTERVAL === 0) this.#options.onProgress?.(progress);
    }
    return found;
  }

  /** The states that the moves of this one reach for the first time. */
  #expand(node: Node): readonly Node[] {
    node.isExpanded = true;
    const found: Node[] = [];
    for (const { name, isStop = false, next } of this.#movesOf(node)) {
      this.#steps += 1;
      if (isStop) this.#recoveries += 1;
      this.#check(node, name, next);
      const known = this.#nodes.get(keyOf(next));
      const to = known ?? this.#add(next, node, name);
      if (!isStop && to !== node) to.predecessors.add(node);
      if (known === undefined) found.push(to);
    }
    return found;
  }

  #add(pair: Pair, from: Node | undefined, move: string): Node {
    const node: Node = { pair, from, move, predecessors: new Set(), isExpanded: false };
    this.#nodes.set(keyOf(pair), node);
    return node;
  }

  #check(node: Node, move: string, after: Pair): void {
    for (const { id, title, violation } of this.#laws) {
      const what = violation({ before: node.pair, move, after });
      if (what === undefined) continue;
      this.#violations.push({ law: id, title, what: withPath(what, node, move), path: [] });
    }
  }

  /** The moves of a state. A machine that throws breaks an invariant. */
  #movesOf(node: Node): ReturnType<PairStepper["moves"]> {
    try {
      return this.#stepper.moves(node.pair);
    } catch (error) {
      const title = "the machine throws nothing";
      this.#violations.push({ law: "INVARIANT", title, what: withPath(String(error), node), path: [] });
      return [];
    }
  }
}

/** The text of a violation, with the moves that lead to it. */
function withPath(what: string, node: Node, last?: string): string {
  const path = last === undefined ? [] : [last];
  for (let at: Node | undefined = node; at?.from !== undefined; at = at.from) path.push(at.move);
  return [what, ...path.reverse()].join("\n  ");
}

/** A state from which no moves lead to rest. */
function withoutRest(all: readonly Node[]): readonly Violation[] {
  const reaching = new Set(all.filter(({ pair, isExpanded }) => isAtRest(pair) || !isExpanded));
  for (const node of reaching) for (const before of node.predecessors) reaching.add(before);
  const stuck = all.find((node) => !reaching.has(node));
  if (stuck === undefined) return [];
  return [{ ...PAIR_PROGRESS, what: withPath("no moves lead from here to rest", stuck), path: [] }];
}

/** The key of a state: all that its future depends on, without times, ids and texts. */
function keyOf(pair: Pair): string {
  const { parent, child, childIn, isClosing, wait, disk, isDeleting, effects, settled, grant, wasStopped } =
    pair;
  return JSON.stringify([
    taskKey(parent),
    taskKey(child),
    child === undefined ? 0 : childIn,
    isClosing,
    waitKey(wait),
    journalKey(disk.parent),
    journalKey(disk.child),
    // A mark beside a journal says nothing: a deletion marks again.
    disk.isMarked && (disk.child === undefined || isDeleting),
    disk.isGone,
    isDeleting,
    effects,
    settled,
    wasStopped,
    grant?.requests,
  ]);
}

function waitKey(wait: Pair["wait"]) {
  if (wait === undefined) return 0;
  if (wait.at === "found") return [wait.at, wait.step];
  if (wait.at === "open") return [wait.at, wait.isResumed];
  if (wait.at === "looking") return wait.at;
  const { event } = wait;
  return [wait.at, event.type === "subtask.ended" ? event.end : event.type];
}

function taskKey(task: OpenTask | undefined) {
  if (task === undefined) return 0;
  const { context } = task.snapshot;
  return [
    stateOf(task),
    context.pause,
    context.ask === undefined ? 0 : [context.ask.ask, context.ask.id === context.log.at(-1)?.ts],
    context.turn.calls.map((call) => [
      call.phase,
      call.name,
      call.phase === "settled" ? call.outcome.kind : 0,
      call.phase === "delegated" ? (call.end?.kind ?? 0) : 0,
    ]),
    context.budget?.state === "returned" ? 0 : context.budget?.left.requests,
    callNames(context.conversation),
    context.conversation.at(-1)?.role,
    task.pending.map(commitKey),
    task.waiting.map(kindOf),
    task.active.map(kindOf),
  ];
}

const commitKey = ({ after, calls, reports, cause, effects }: PairCommit) => [
  after,
  calls.map(({ phase, name }) => [phase, name]),
  reports.map(({ type }) => type),
  cause?.type,
  effects.map(({ type, effect }) => [type, effect]),
];

function journalKey(journal: PairJournal | undefined) {
  if (journal === undefined) return 0;
  const { recorded, state, outcome } = journal;
  const last = recorded.log.at(-1);
  const { budget } = recorded.facts;
  return [
    state,
    outcome ?? 0,
    last === undefined ? 0 : [last.ask ?? last.say, last.partial, last.closing],
    recorded.calls.map((call) => [call.phase, call.name, call.phase === "settled" ? call.outcome.kind : 0]),
    recorded.facts.pause,
    budget === undefined || budget === null || budget.state === "returned" ? 0 : budget.left.requests,
    callNames(recorded.conversation),
    recorded.conversation.at(-1)?.role,
  ];
}

const kindOf = (id: string): string => id.split(":", 1)[0] ?? id;
