import type { Protocol } from "../../control/protocol.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { TemporalPolicy } from "../../tools/temporal/policy.ts";
import type { Case } from "../../verify/cases.ts";
import { auditLaw, controlled, EXPLORED_PROTOCOL } from "../../verify/controlled.ts";
import { type Exploration, type ExploreOptions, explore, PROGRESS } from "../../verify/exploration.ts";
import { NON_INTERFERENCE } from "../../verify/interference.ts";
import { ALL_LAWS } from "../../verify/laws/laws.ts";
import { exploreCase, type OwnershipCase } from "../../verify/ownership/cases.ts";
import type { SearchResult } from "../../verify/ownership/search.ts";
import { explorePair } from "../../verify/subtasks/exploration.ts";
import { PAIR_LAWS, PAIR_PROGRESS } from "../../verify/subtasks/laws.ts";
import { exploredPolicyLaws, policyLaws, scoreCutsOf } from "./policy-law.ts";

type Machine = typeof taskMachine;

/** Parts of an exploration that can't be sent to a thread. */
export interface Modules {
  /** Default: the built-in machine. */
  readonly machine?: Machine | undefined;
  /** The protocol that controls each task. Default: none but in the case of a controlled task. */
  readonly protocol?: Protocol | undefined;
}

/** An exploration to run. It can be sent to a thread. */
export interface Job {
  readonly one: Case;
  /** The ids of the checked laws; all, if undefined. */
  readonly laws: readonly string[] | undefined;
  readonly maxStates: number;
  /** Policies over time that are also checked. */
  readonly policies: readonly TemporalPolicy[];
  /** Whether the task has these policies, as in the runtime. Otherwise they are only checked. */
  readonly isEnforced: boolean;
}

/** The result of an exploration. */
export interface Explored extends Exploration {
  readonly one: Case;
  readonly seconds: number;
}

/** An exploration of the workers of one task in a database. It can be sent to a thread. */
export interface OwnershipJob extends Pick<Job, "laws" | "maxStates"> {
  readonly ownership: OwnershipCase;
}

export interface ExploredOwnership extends SearchResult {
  readonly ownership: OwnershipCase;
  readonly seconds: number;
}

export type AnyJob = Job | OwnershipJob;
export type AnyExplored = Explored | ExploredOwnership;
type OnProgress = NonNullable<ExploreOptions["onProgress"]>;

export const isOfOwnership = (explored: AnyExplored): explored is ExploredOwnership =>
  "ownership" in explored;

/** Whether a law is broken: the other explorations are then stopped. */
export const isBroken = (explored: AnyExplored): boolean =>
  isOfOwnership(explored) ? explored.violation !== undefined : explored.violations.length > 0;

export const runAny = (job: AnyJob, onProgress: OnProgress, modules?: Modules): AnyExplored =>
  "ownership" in job ? runOwnershipJob(job, onProgress) : runJob(job, onProgress, modules);

function runOwnershipJob(
  { ownership, laws, maxStates }: OwnershipJob,
  onProgress: OnProgress,
): ExploredOwnership {
  const start = performance.now();
  const found = exploreCase(ownership, { laws, maxStates, onProgress });
  return { ...found, ownership, seconds: (performance.now() - start) / 1000 };
}

const inputOf = ({ input }: Case, isEnforced: boolean): Case["input"] => ({
  ...input,
  ...(isEnforced && { policies: true }),
});

/** The protocol that controls the task of a case. `chosen`: for all cases. */
export const protocolOf = ({ isControlled }: Case, chosen: Protocol | undefined): Protocol | undefined =>
  chosen ?? (isControlled === true ? EXPLORED_PROTOCOL : undefined);

export const isHeld = (laws: readonly string[] | undefined, id: string): boolean =>
  laws?.includes(id) ?? true;

export function runJob(
  { one: given, laws, maxStates, policies, isEnforced }: Job,
  onProgress: OnProgress,
  { machine = taskMachine, protocol: chosen }: Modules = {},
): Explored {
  const protocol = protocolOf(given, chosen);
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  const one = given.isPair === true ? given : { ...given, input: inputOf(given, isEnforced) };
  if (one.isPair === true) {
    const pair = explorePair({
      machine,
      laws: PAIR_LAWS.filter(({ id }) => isHeld(laws, id)),
      maxStates,
      progress: isHeld(laws, PAIR_PROGRESS.law),
      onProgress,
    });
    // A state of a pair is not one of the machine's states.
    return { ...pair, visited: new Map(), bounds: one.bounds, one, seconds: seconds() };
  }
  const held = ALL_LAWS.filter(({ id }) => isHeld(laws, id));
  const ofExplored =
    one.input.policies === true && !isEnforced
      ? held.filter(({ id }) => id === "ONE").flatMap((law) => exploredPolicyLaws(law))
      : [];
  const audits = protocol && isHeld(laws, "CONTROL") ? auditLaw(protocol) : undefined;
  const { bounds, input } = protocol === undefined ? one : controlled(one, protocol, scoreCutsOf(policies));
  const found = explore({
    machine,
    laws: held,
    pathLaws: [...policyLaws(policies, isEnforced), ...ofExplored, ...(audits === undefined ? [] : [audits])],
    bounds,
    input,
    interference: isHeld(laws, NON_INTERFERENCE.law),
    maxStates,
    progress: isHeld(laws, PROGRESS.law),
    onProgress,
  });
  return { ...found, bounds: one.bounds, one: { ...one, input }, seconds: seconds() };
}
