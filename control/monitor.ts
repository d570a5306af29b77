import type { ControlPoint } from "../machines/tool-call/control.ts";

/** The actor that gives a score: a model, a function or a person. */
export type ScoredBy = "trusted" | "untrusted" | "function" | "person";

interface MonitorAt {
  /** ControlPoint at which it gives a score. */
  readonly at: ControlPoint;
  /** Scores at which the protocol decides differently, from 0 to 1. A score is over a threshold if it is strictly greater. */
  readonly thresholds: readonly number[];
}

/** A monitor that is asked once at its point. */
interface SingleMonitor extends MonitorAt {
  readonly by: ScoredBy;
  /**
   * The monitor that it tests: it is asked about a known attack in the form of the action, so that a model that gives the
   * scores can't tell them apart.
   */
  readonly honeypotOf?: string;
}

/** A monitor of an ensemble. */
export interface Member {
  readonly by: ScoredBy;
  /** The part of the action that it sees. Absent: the whole action with the conversation. */
  readonly part?: string;
}

/** A monitor whose score is the mean or the maximum of the scores of its members. */
interface EnsembleMonitor extends MonitorAt {
  readonly members: Readonly<Record<string, Member>>;
  readonly combine: "mean" | "max";
}

/** A monitor of a protocol. It gives a suspicion score from 0 to 1. */
export type Monitor = SingleMonitor | EnsembleMonitor;

export type Monitors = Readonly<Record<string, Monitor>>;

/** The scores of the monitors at a point, by their names. */
export type Scores = Readonly<Record<string, number>>;

/** The score that a protocol sees: a score that is missing or not from 0 to 1 is the most suspicious, 1. */
export const validScore = (score: number | undefined): number =>
  score !== undefined && score >= 0 && score <= 1 ? score : 1;

/** The score of an ensemble by the scores of its members. */
export function combine(how: EnsembleMonitor["combine"], scores: readonly number[]): number {
  const valid = scores.map(validScore);
  return how === "max"
    ? Math.max(...valid)
    : valid.reduce((sum, score) => sum + score, 0) / Math.max(valid.length, 1);
}
