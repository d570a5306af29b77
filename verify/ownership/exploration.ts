import { EMPTY_DATABASE } from "./database.ts";
import { OWNERSHIP_LAWS, OWNERSHIP_PROGRESS } from "./laws.ts";
import { canTick, movesOf, ownMoves, prepared, statementMoves, tick } from "./moves.ts";
import { OWNERSHIP_RULES, type OwnershipRules } from "./rules.ts";
import {
  type BrokenLaw,
  firstBroken,
  MAX_WORLDS,
  type SearchLimits,
  type SearchResult,
  searchWorlds,
} from "./search.ts";
import { WorldKeys } from "./symmetry.ts";
import { Workers } from "./workers.ts";
import { type Faults, NO_FAULTS, type World } from "./world.ts";

/** How far an exploration goes. */
export interface OwnershipBounds {
  /** Processes. Default 2. */
  readonly workers?: number;
  /** Effects of the task. Default 2. */
  readonly effects?: number;
  /** Leases that may be lost in all, by slow statements or by a fault. Default 1. */
  readonly losses?: number;
  /** Faults of the environment. Default: none. */
  readonly faults?: Partial<Faults>;
  /** Whether registrations take time. Default false. */
  readonly registration?: boolean;
  /** Time of a lease, in ticks. The last one is left for stopping, and a lease of two is never renewed in time. Default 4. */
  readonly leaseTicks?: number;
}

export interface OwnershipOptions extends OwnershipBounds, SearchLimits {
  /** Whether worlds that differ only in the names of their workers are one. Default true. */
  readonly isReduced?: boolean;
  readonly rules?: OwnershipRules;
}

/** Rounds in which the task must be owned and done, each with a tick: three times the time of a lease. */
const ROUNDS = 12;
/** Steps of a round. */
const STEPS_A_ROUND = 60;

/** A world without more faults, and whose turn it is. */
interface Turn {
  readonly world: World;
  readonly turn: number;
  /** Steps since the last tick. */
  readonly steps: number;
  readonly ticks: number;
}

interface Going {
  readonly workers: Workers;
  readonly rules: OwnershipRules;
  readonly prepare: (world: World) => World;
  readonly keys: WorldKeys;
  /** Worlds from which the task is done. */
  readonly ends: Set<string>;
}

/**
 * Visit every world of workers that share one task by leases and claims: each order of their statements, of answers and
 * of time, with processes that are killed or stopped for any time, connections that are cut before or after the database
 * has executed a statement, statements that are executed late, and clocks that are set. In each world the laws are checked, and that the task
 * is done in bounded time while a worker lives and no further faults happen.
 */
export function exploreOwnership({
  workers: count = 2,
  effects = 2,
  losses = 1,
  faults = {},
  registration = false,
  leaseTicks = 4,
  isReduced = true,
  rules = OWNERSHIP_RULES,
  laws,
  maxStates = MAX_WORLDS,
  onProgress,
}: OwnershipOptions = {}): SearchResult {
  const workers = new Workers(rules, effects, { leaseMs: leaseTicks, marginMs: 1 });
  const keys = new WorldKeys(isReduced);
  const prepare = (world: World): World => keys.shared(prepared(world, workers, rules, !registration));
  const start: World = {
    workers: Array.from({ length: count }, () => workers.fresh()),
    database: EMPTY_DATABASE,
    faults: { ...NO_FAULTS, ...faults },
    acknowledged: 0,
  };
  const going: Going = { workers, rules, prepare, keys, ends: new Set() };
  const held = OWNERSHIP_LAWS.filter(({ id }) => laws?.includes(id) ?? true);
  const progresses = laws?.includes(OWNERSHIP_PROGRESS.id) ?? true;
  return searchWorlds({
    first: prepare(start),
    moves: (world) => movesOf(world, workers, rules).map((move) => ({ ...move, world: prepare(move.world) })),
    keyOf: (world) => (lossesIn(world) > losses ? undefined : keys.keyOf(world)),
    broken: (world) => firstBroken(held, world) ?? (progresses ? progressIn(world, going) : undefined),
    maxStates,
    onProgress,
  });
}

/** Law TAKEN: without more faults, a living worker owns the task and does it in bounded time. */
function progressIn(world: World, going: Going): BrokenLaw | undefined {
  if (!world.workers.some(({ mode }) => mode === "up")) return undefined;
  const passed: string[] = [];
  let now: Turn = { world: { ...world, faults: NO_FAULTS }, turn: 0, steps: 0, ticks: 0 };
  while (now.ticks < ROUNDS) {
    const key = going.keys.keyOf(now.world, now.turn);
    if (going.ends.has(key) || isTaken(now.world, going.workers)) {
      for (const each of passed) going.ends.add(each);
      return undefined;
    }
    passed.push(key);
    now = nextTurn(now, going);
  }
  return {
    law: OWNERSHIP_PROGRESS.id,
    what: `no living worker has done the task after ${ROUNDS} ticks without a fault`,
  };
}

const lossesIn = ({ workers }: World): number => workers.reduce((sum, { leases }) => sum + leases, 0);

const isTaken = (world: World, workers: Workers): boolean =>
  world.workers.some((worker) => worker.mode === "up" && workers.isDone(worker));

/** The world after a due step, in the order in which statements were sent, or after a tick once nothing is due. */
function nextTurn({ world, turn, steps, ticks }: Turn, going: Going): Turn {
  const due = steps < STEPS_A_ROUND ? dueWorld(world, going, turn) : undefined;
  if (due !== undefined)
    return { world: going.prepare(due), turn: (turn + 1) % world.workers.length, steps: steps + 1, ticks };
  const next = canTick(world) ? going.prepare(tick(world)) : world;
  return { world: next, turn: 0, steps: 0, ticks: ticks + 1 };
}

/** The world after a due step of the worker whose turn it is, or else of the next one. */
function dueWorld(world: World, { workers, rules }: Going, turn: number): World | undefined {
  const { length } = world.workers;
  for (let offset = 0; offset < length; offset += 1) {
    const index = (turn + offset) % length;
    const worker = world.workers[index];
    if (worker === undefined) continue;
    const [move] = statementMoves(world, workers, rules, worker, index);
    if (move !== undefined) return move.world;
    const [own] = ownMoves(world, workers, worker, index);
    if (own !== undefined) return own.world;
  }
  return undefined;
}
