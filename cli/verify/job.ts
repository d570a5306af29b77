import { taskMachine } from "../../machines/task/index.ts";
import type { TemporalPolicy } from "../../temporal/index.ts";
import {
  ALL_LAWS,
  type Case,
  type Exploration,
  type ExploreOptions,
  explore,
  PROGRESS,
} from "../../verify/index.ts";
import { policyLaws } from "./policy-law.ts";

type Machine = typeof taskMachine;

/** An exploration to run. It can be sent to a thread. */
export interface Job {
  readonly one: Case;
  /** The ids of the checked laws; all, if undefined. */
  readonly laws: readonly string[] | undefined;
  readonly maxStates: number;
  /** Policies over time that are checked, too. */
  readonly policies: readonly TemporalPolicy[];
}

/** The result of an exploration. */
export interface Explored extends Exploration {
  readonly one: Case;
  readonly seconds: number;
}

export const isHeld = (laws: readonly string[] | undefined, id: string): boolean =>
  laws?.includes(id) ?? true;

export function runJob(
  { one, laws, maxStates, policies }: Job,
  onProgress: NonNullable<ExploreOptions["onProgress"]>,
  machine: Machine = taskMachine,
): Explored {
  const start = performance.now();
  const found = explore({
    machine,
    laws: ALL_LAWS.filter(({ id }) => isHeld(laws, id)),
    pathLaws: policyLaws(policies),
    bounds: one.bounds,
    input: one.input,
    maxStates,
    progress: isHeld(laws, PROGRESS.law),
    onProgress,
  });
  return { ...found, one, seconds: (performance.now() - start) / 1000 };
}
