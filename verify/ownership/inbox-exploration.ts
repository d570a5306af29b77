import { EMPTY_INBOX } from "./inbox-database.ts";
import { INBOX_LAWS, INBOX_PROGRESS, type InboxProgress } from "./inbox-laws.ts";
import { dueMoves, type InboxGoing, inboxMoves } from "./inbox-moves.ts";
import { INBOX_RULES, type InboxRules } from "./inbox-rules.ts";
import { InboxWorkers } from "./inbox-worker.ts";
import type { InboxFaults, InboxWorld } from "./inbox-world.ts";
import {
  type BrokenLaw,
  firstBroken,
  MAX_WORLDS,
  type SearchLimits,
  type SearchResult,
  searchWorlds,
} from "./search.ts";

/** How far an exploration goes. */
export interface InboxBounds {
  /** Processes. Default 2. */
  readonly workers?: number;
  /** Commands that are put. Default 2. */
  readonly commands?: number;
  /** Whether the task has work until it has taken all commands, so that its owner keeps it. Default false. */
  readonly isBusy?: boolean;
  /** Faults of the environment. Default: none. */
  readonly faults?: Partial<InboxFaults>;
}

export interface InboxExplorationOptions extends InboxBounds, SearchLimits {
  readonly rules?: Partial<InboxRules>;
}

const NO_FAULTS: InboxFaults = { kills: 0, losses: 0, cuts: 0, gaps: 0, duplicates: 0 };
/** Steps in which a law about progress must be reached, once no fault happens. */
const PROGRESS_STEPS = 120;

/**
 * Visit every world of workers that take the commands of one task: each order of puts, wakes, notifications, statements and
 * answers, with processes that are killed, leases that end, answers and notifications that are lost, and wakes, notifications
 * and puts that come twice. In each world the laws are checked, and that a woken task is owned and every command is taken in
 * bounded time while a worker lives and no further faults happen.
 */
export function exploreInbox({
  workers: count = 2,
  commands = 2,
  isBusy = false,
  faults = {},
  rules: given = {},
  laws,
  maxStates = MAX_WORLDS,
  onProgress,
}: InboxExplorationOptions = {}): SearchResult {
  const rules = { ...INBOX_RULES, ...given };
  const workers = new InboxWorkers(rules, commands, isBusy);
  const going: InboxGoing = { rules, workers, commands };
  const first: InboxWorld = {
    workers: Array.from({ length: count }, () => workers.fresh()),
    database: EMPTY_INBOX,
    isWakeWaiting: false,
    put: 0,
    woken: 0,
    faults: { ...NO_FAULTS, ...faults },
  };
  const isChecked = ({ id }: { readonly id: string }): boolean => laws?.includes(id) ?? true;
  const held = INBOX_LAWS.filter(isChecked);
  const goals = INBOX_PROGRESS.filter(isChecked).map((progress): Goal => ({ progress, ends: new Set() }));
  return searchWorlds({
    first,
    moves: (world) => inboxMoves(world, going),
    keyOf: (world) => JSON.stringify(world),
    broken: (world) => firstBroken(held, world) ?? firstUnreached(world, going, goals),
    maxStates,
    onProgress,
  });
}

interface Goal {
  readonly progress: InboxProgress;
  /** Turns of worlds that lead to it. */
  readonly ends: Set<string>;
}

function firstUnreached(world: InboxWorld, going: InboxGoing, goals: readonly Goal[]): BrokenLaw | undefined {
  if (!world.workers.some(({ isUp }) => isUp)) return undefined;
  const missed = goals.find((goal) => !isReachedFrom({ ...world, faults: NO_FAULTS }, going, goal));
  if (missed === undefined) return undefined;
  const { id, unreached: what } = missed.progress;
  return { law: id, what: `${what} after ${PROGRESS_STEPS} steps without a fault` };
}

/** Whether a world leads to a goal in bounded time. */
function isReachedFrom(world: InboxWorld, going: InboxGoing, { progress, ends }: Goal): boolean {
  const passed: string[] = [];
  let now = world;
  const actors = world.workers.length + 1;
  for (let step = 0; step < PROGRESS_STEPS; step += 1) {
    // Another one begins each round, so that none is always too late.
    const turn = (step + Math.floor(step / actors)) % actors;
    const key = `${step % actors ** 2} ${JSON.stringify(now)}`;
    if (progress.isReached(now) || ends.has(key)) {
      for (const each of passed) ends.add(each);
      return true;
    }
    passed.push(key);
    now = nextDue(now, going, turn) ?? now;
  }
  return false;
}

/** The world after a step that needs no fault, of the one whose turn it is, or else of the next one. The sender puts nothing. */
function nextDue(world: InboxWorld, going: InboxGoing, turn: number): InboxWorld | undefined {
  const moves = dueMoves(world, { ...going, commands: world.put });
  for (let offset = 0; offset < moves.length; offset += 1) {
    const [move] = moves[(turn + offset) % moves.length] ?? [];
    if (move !== undefined) return move.world;
  }
  return undefined;
}
