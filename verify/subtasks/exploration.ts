import type { taskMachine } from "../../machines/task/task.machine.ts";
import { CoverageMeter } from "../coverage.ts";
import { journalKey, taskKey } from "./key.ts";
import { isAtRest, PAIR_LAWS, PAIR_PROGRESS, type PairLaw } from "./laws.ts";
import { type Pair, type PairRules, PairStepper, SHIPPED_RULES } from "./pair.ts";
import { Search, type SearchOptions, type TasksExploration } from "./search.ts";

export interface PairOptions extends SearchOptions {
  readonly machine: typeof taskMachine;
  readonly laws?: readonly PairLaw[];
  /** Parts of the composition that are replaced. Default: as shipped. */
  readonly rules?: Partial<PairRules>;
}

/** Explore a parent and its subtask breadth first, until a law is violated. */
export function explorePair({ machine, rules, laws = PAIR_LAWS, ...options }: PairOptions): TasksExploration {
  const meter = new CoverageMeter(machine);
  const stepper = new PairStepper(machine, { ...SHIPPED_RULES, ...rules }, meter);
  return new Search<Pair>({
    ...options,
    first: stepper.first(),
    moves: (pair) => stepper.moves(pair),
    keyOf,
    laws,
    isAtRest,
    progressLaw: PAIR_PROGRESS,
    meter,
  }).run();
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
