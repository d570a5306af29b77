import type { taskMachine } from "../../machines/task/task.machine.ts";
import { CoverageMeter } from "../coverage.ts";
import {
  type Chain,
  type ChainRules,
  ChainStepper,
  type ChainWait,
  type Place,
  SHIPPED_CHAIN,
} from "./chain.ts";
import { CHAIN_LAWS, CHAIN_PROGRESS, type ChainLaw, isAtRest, joinedIn } from "./chain-laws.ts";
import type { ChainPlan } from "./chain-plan.ts";
import { journalKey, taskKey } from "./key.ts";
import { Search, type SearchOptions, type TasksExploration } from "./search.ts";

export interface ChainOptions extends SearchOptions {
  readonly machine: typeof taskMachine;
  readonly plan: ChainPlan;
  readonly laws?: readonly ChainLaw[];
  /** Parts of the composition that are replaced. Default: as shipped. */
  readonly rules?: Partial<ChainRules>;
}

/** Explore a chain of tasks breadth first, until a law is violated. */
export function exploreChain({
  machine,
  plan,
  rules,
  laws = CHAIN_LAWS,
  ...options
}: ChainOptions): TasksExploration {
  const meter = new CoverageMeter(machine);
  const stepper = new ChainStepper(machine, plan, { ...SHIPPED_CHAIN, ...rules }, meter);
  return new Search<Chain>({
    ...options,
    first: stepper.first(),
    moves: (chain) => stepper.moves(chain),
    keyOf: ({ places, isCancelled, interruptions }) =>
      JSON.stringify([isCancelled, interruptions, ...places.map(placeKey)]),
    laws,
    isAtRest,
    progressLaw: CHAIN_PROGRESS,
    meter,
  }).run();
}

const placeKey = (place: Place) => [
  taskKey(place.task),
  journalKey(place.journal),
  waitKey(place.wait),
  place.isClosing,
  place.effects,
  joinedIn(place).length,
];

function waitKey(wait: ChainWait | undefined) {
  if (wait === undefined) return 0;
  if (wait.at === "open") return [wait.isResumed, wait.isPausedWith];
  const { event } = wait;
  return event.type === "subtask.ended" ? event.end : event.type;
}
