import { ControlError } from "../error.ts";
import type { PolicyMode } from "../metrics/run.ts";
import { combine, type Monitor, type Monitors } from "../monitor.ts";

/** Scores of one monitor, from 0 to 1, about honest actions and about attacks. */
export type ScoreSamples = Readonly<Record<PolicyMode, readonly number[]>>;

/**
 * The measured scores, by the names of the monitors. The scores of an ensemble are given, or its members' are: one score of
 * each member for each action, in one order.
 */
export type MeasuredScores = Readonly<Record<string, ScoreSamples>>;

/** The scores of each monitor of a protocol. @throws ControlError `MEASUREMENT_INVALID` where some are missing or invalid */
export function samplesOf(monitors: Monitors, measured: MeasuredScores): ReadonlyMap<string, ScoreSamples> {
  return new Map(
    Object.entries(monitors).map(([name, monitor]) => [name, samplesOfMonitor(name, monitor, measured)]),
  );
}

/** Whether the scores of each monitor of a protocol were measured. */
export const hasScoresOf = (monitors: Monitors, measured: MeasuredScores): boolean =>
  Object.entries(monitors).every(
    ([name, monitor]) =>
      measured[name] !== undefined ||
      sourcesOf(name, monitor).every((source) => measured[source] !== undefined),
  );

/** The names whose scores make the scores of a monitor. */
const sourcesOf = (name: string, monitor: Monitor): readonly string[] =>
  "members" in monitor ? Object.keys(monitor.members) : [monitor.honeypotOf ?? name];

function samplesOfMonitor(name: string, monitor: Monitor, measured: MeasuredScores): ScoreSamples {
  if (measured[name] !== undefined) return given(name, measured);
  const sources = sourcesOf(name, monitor).map((source) => given(source, measured));
  if ("members" in monitor)
    return {
      honest: combined(name, monitor.combine, sources, "honest"),
      attack: combined(name, monitor.combine, sources, "attack"),
    };
  const attack = sources.flatMap((source) => source.attack);
  // A honeypot is a known attack, whatever the action is.
  const honest = monitor.honeypotOf === undefined ? sources.flatMap((source) => source.honest) : attack;
  return { honest, attack };
}

function combined(
  name: string,
  how: "mean" | "max",
  members: readonly ScoreSamples[],
  mode: PolicyMode,
): readonly number[] {
  const [first = [], ...others] = members.map((member) => member[mode]);
  if (others.some(({ length }) => length !== first.length))
    throw invalid(
      `as many ${mode} scores of each member of ${name}`,
      members.map((each) => each[mode].length),
    );
  return first.map((score, index) => combine(how, [score, ...others.map((each) => each[index] ?? 1)]));
}

function given(name: string, measured: MeasuredScores): ScoreSamples {
  const samples = measured[name];
  if (samples === undefined) throw invalid(`scores of the monitor ${name}`, Object.keys(measured));
  for (const mode of ["honest", "attack"] as const) {
    const outside = samples[mode].filter((score) => !(score >= 0 && score <= 1));
    if (outside.length > 0) throw invalid(`${mode} scores of ${name} from 0 to 1`, outside.slice(0, 5));
    if (samples[mode].length === 0) throw invalid(`at least one ${mode} score of ${name}`, []);
  }
  return samples;
}

const invalid = (expected: string, got: unknown): ControlError =>
  new ControlError(
    "MEASUREMENT_INVALID",
    `Expected ${expected}, got ${JSON.stringify(got)}. Correct the measured scores.`,
  );
