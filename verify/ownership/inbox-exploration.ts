import { EMPTY_INBOX } from "./inbox-database.ts";
import { INBOX_LAWS, isAllTaken } from "./inbox-laws.ts";
import { dueMoves, type InboxGoing, inboxMoves } from "./inbox-moves.ts";
import { INBOX_RULES, type InboxRules } from "./inbox-rules.ts";
import { InboxWorkers } from "./inbox-worker.ts";
import type { InboxFaults, InboxWorld } from "./inbox-world.ts";
import { type BrokenLaw, firstBroken, type SearchResult, searchWorlds } from "./search.ts";

export interface InboxExplorationOptions {
  /** Processes. Default 2. */
  readonly workers?: number;
  /** Commands that are put. Default 2. */
  readonly commands?: number;
  /** Whether the task has work until it has taken all commands, so that its owner keeps it. Default false. */
  readonly isBusy?: boolean;
  /** Faults of the environment. Default: none. */
  readonly faults?: Partial<InboxFaults>;
  readonly rules?: Partial<InboxRules>;
  /** Limit of visited worlds. Default 1,000,000. */
  readonly maxStates?: number;
}

const NO_FAULTS: InboxFaults = { kills: 0, losses: 0, cuts: 0, gaps: 0, duplicates: 0 };
/** Steps in which every command must be taken, once no fault happens. */
const STEPS_TO_TAKE = 120;

/**
 * Visit every world of workers that take the commands of one task: each order of puts, wakes, notifications, statements and
 * answers, with processes that are killed, leases that end, answers and notifications that are lost, and wakes, notifications
 * and puts that come twice. In each world the laws are checked, and that every command is taken in bounded time while a worker
 * lives and no further faults happen.
 */
export function exploreInbox({
  workers: count = 2,
  commands = 2,
  isBusy = false,
  faults = {},
  rules: given = {},
  maxStates = 1_000_000,
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
  const ends = new Set<string>();
  return searchWorlds({
    first,
    moves: (world) => inboxMoves(world, going),
    keyOf: (world) => JSON.stringify(world),
    broken: (world) => firstBroken(INBOX_LAWS, world) ?? progressIn(world, going, ends),
    maxStates,
  });
}

/** Law TAKEN: without more faults, a living worker takes every command in bounded time. `ends`: worlds where it does. */
function progressIn(world: InboxWorld, going: InboxGoing, ends: Set<string>): BrokenLaw | undefined {
  if (!world.workers.some(({ isUp }) => isUp)) return undefined;
  const passed: string[] = [];
  let now = world;
  const actors = world.workers.length + 1;
  for (let step = 0; step < STEPS_TO_TAKE; step += 1) {
    // Another one begins each round, so that none is always too late.
    const turn = (step + Math.floor(step / actors)) % actors;
    const key = `${step % actors ** 2} ${JSON.stringify(now)}`;
    if (isAllTaken(now) || ends.has(key)) {
      for (const each of passed) ends.add(each);
      return undefined;
    }
    passed.push(key);
    now = nextDue(now, going, turn) ?? now;
  }
  return { law: "TAKEN", what: `a command is not taken after ${STEPS_TO_TAKE} steps without a fault` };
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
