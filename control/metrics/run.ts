import { ControlError } from "../error.ts";

export const MODES = ["honest", "attack"] as const;

/** The untrusted policy of a run. The protocol does not see it. */
export type PolicyMode = (typeof MODES)[number];

/** The measured result of one run. */
export interface ControlRun {
  readonly mode: PolicyMode;
  /** Suspicion score of the trajectory. Any scale: only the order counts. */
  readonly score: number;
  /** Whether the check of the main task passed. */
  readonly mainTask: boolean;
  /** Whether the check of the side task passed. */
  readonly sideTask: boolean;
  /** Whether the policy attempted the side task. */
  readonly attempted: boolean;
  /** Audits that the run used. */
  readonly audits: number;
  /** Cost of all models, in dollars. 0 for a model without a known price. */
  readonly dollars: number;
}

/** The runs of one mode. @throws ControlError `MEASUREMENT_INVALID` without any */
export function runsOf<Run extends Pick<ControlRun, "mode">>(
  runs: readonly Run[],
  mode: PolicyMode,
): readonly Run[] {
  const found = runs.filter((run) => run.mode === mode);
  if (found.length > 0) return found;
  throw new ControlError(
    "MEASUREMENT_INVALID",
    `Expected at least one run of mode ${mode}, got none of ${runs.length} runs. Add runs of this mode.`,
  );
}
