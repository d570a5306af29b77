import { EMPTY_DATABASE } from "./database.ts";
import { OWNERSHIP_LAWS } from "./laws.ts";
import { canTick, type Move, movesOf, ownMoves, prepared, statementMoves, tick } from "./moves.ts";
import { OWNERSHIP_RULES, type OwnershipRules } from "./rules.ts";
import { type BrokenLaw, firstBroken, type SearchResult, searchWorlds } from "./search.ts";
import { Workers } from "./workers.ts";
import type { Faults, World } from "./world.ts";

export interface OwnershipOptions {
  /** Processes. Default 2. */
  readonly workers?: number;
  /** Effects of the task. Default 2. */
  readonly effects?: number;
  /** Leases that may be lost in all, by slow statements or by a fault. Default 1. */
  readonly losses?: number;
  /** Faults of the environment. Default: one of each. */
  readonly faults?: Faults;
  /** Whether registrations take time. Default false. */
  readonly registration?: boolean;
  readonly rules?: OwnershipRules;
  /** Limit of visited worlds. Default 1,000,000. */
  readonly maxStates?: number;
}

/** Rounds in which the task must be owned and done, each with a tick: three times the time of a lease. */
const ROUNDS = 12;
/** Steps of a round. */
const STEPS_A_ROUND = 60;

interface Going {
  readonly workers: Workers;
  readonly rules: OwnershipRules;
  readonly prepare: (world: World) => World;
  /** Worlds from which the task is done. */
  readonly ends: Set<string>;
}

/**
 * Visit every world of workers that share one task by leases and claims: each order of their statements, of answers and
 * of time, with processes that are killed or stopped for any time, connections that are cut before or after the database
 * has executed a statement, and statements that are executed late. In each world the laws are checked, and that the task
 * is done in bounded time while a worker lives and no further faults happen.
 */
export function exploreOwnership({
  workers: count = 2,
  effects = 2,
  losses = 1,
  faults = { kills: 1, stops: 1, cuts: 1 },
  registration = false,
  rules = OWNERSHIP_RULES,
  maxStates = 1_000_000,
}: OwnershipOptions = {}): SearchResult {
  const workers = new Workers(rules, effects);
  const prepare = (world: World): World => prepared(world, workers, rules, !registration);
  const start: World = {
    workers: Array.from({ length: count }, () => workers.fresh()),
    database: EMPTY_DATABASE,
    faults,
    acknowledged: 0,
  };
  const ends = new Set<string>();
  return searchWorlds({
    first: prepare(start),
    moves: (world) => movesOf(world, workers, rules).map((move) => ({ ...move, world: prepare(move.world) })),
    keyOf: (world) => (lossesIn(world) > losses ? undefined : keyOf(world)),
    broken: (world) =>
      firstBroken(OWNERSHIP_LAWS, world) ?? progressIn(world, { workers, rules, prepare, ends }),
    maxStates,
  });
}

/** Law TAKEN: without more faults, a living worker owns the task and does it in bounded time. */
function progressIn(world: World, going: Going): BrokenLaw | undefined {
  if (!world.workers.some(({ mode }) => mode === "up")) return undefined;
  const passed: string[] = [];
  let now = world;
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = keyOf(now);
    if (going.ends.has(key) || isTaken(now, going.workers)) {
      for (const each of passed) going.ends.add(each);
      return undefined;
    }
    passed.push(key);
    now = settle(now, going);
    if (canTick(now)) now = tick(now);
  }
  return { law: "TAKEN", what: `no living worker has done the task after ${ROUNDS} ticks without a fault` };
}

/** The text of a world. Two that differ only in the names of their first two workers have the same. */
function keyOf({ workers, database: { workers: rows, ...database }, ...world }: World): string {
  const [first, second, ...others] = workers;
  const rest = JSON.stringify([world, database]);
  const rowTexts = rows.map((row) => JSON.stringify(row));
  const text = [JSON.stringify(workers), rest, ...rowTexts.toSorted()].join();
  if (first === undefined || second === undefined) return text;
  const swappedRows = rowTexts.map(withSwappedNames).toSorted();
  const swapped = [
    withSwappedNames(JSON.stringify([second, first, ...others])),
    withSwappedNames(rest),
    ...swappedRows,
  ].join();
  const [smaller = text] = [text, swapped].toSorted();
  return smaller;
}

const withSwappedNames = (text: string): string =>
  text.replace(/"w([12])\./g, (_, name: string) => `"w${3 - Number(name)}.`);

const lossesIn = ({ workers }: World): number => workers.reduce((sum, { leases }) => sum + leases, 0);

const isTaken = (world: World, workers: Workers): boolean =>
  world.workers.some((worker) => worker.mode === "up" && workers.isDone(worker));

/** The world after all that is due has happened, in the order in which it was sent. */
function settle(world: World, going: Going): World {
  let now = world;
  for (let step = 0; step < STEPS_A_ROUND; step += 1) {
    const move = dueMove(now, going, step);
    if (move === undefined) return now;
    now = going.prepare(move.world);
  }
  return now;
}

/** A due step, of another worker at each turn. */
function dueMove(world: World, { workers, rules }: Going, turn: number): Move | undefined {
  const noFaults = { ...world, faults: { kills: 0, stops: 0, cuts: 0 } };
  const { length } = world.workers;
  for (let offset = 0; offset < length; offset += 1) {
    const index = (turn + offset) % length;
    const worker = world.workers[index];
    if (worker === undefined) continue;
    const [move] = [
      ...statementMoves(noFaults, workers, rules, worker, index),
      ...ownMoves(noFaults, workers, worker, index),
    ];
    if (move !== undefined) return move;
  }
  return undefined;
}
