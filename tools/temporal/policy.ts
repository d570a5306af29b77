import type { Formula } from "./formula.ts";

/** A named condition on every event of a task. */
export interface Clause {
  readonly name: string;
  /** Holds at every event of a task that follows the policy. */
  readonly always: Formula;
}

/** A policy over time: clauses that must hold at every event of a task. */
export interface TemporalPolicy {
  readonly name: string;
  readonly clauses: readonly Clause[];
}

/** A clause that does not hold at an event. */
export interface BrokenClause {
  readonly policy: string;
  readonly clause: string;
  /** Position of the event, from 0. */
  readonly at: number;
  /** Positions of the earlier events that decide it, oldest first. */
  readonly since: readonly number[];
  /** The paths, hosts or tools that it does not hold for. */
  readonly values: readonly string[];
  /** The limit that was reached: the clause does not hold any more, since not all values are remembered. */
  readonly limit?: "values";
}

/** The verdict of the policies about the latest event. */
export interface PolicyVerdict {
  readonly holds: boolean;
  readonly broken: readonly BrokenClause[];
}

/** Format a clause that does not hold, in one line. */
export const formatBrokenClause = (broken: BrokenClause, place?: string): string =>
  [`clause ${broken.clause} of policy ${broken.policy}`, ...detailsOf(broken, place)].join(", ");

/** For what and since when a clause does not hold. `place`: where the events that decide it are; empty for none. */
export const detailsOf = (
  { since, values, limit }: BrokenClause,
  place = since.length > 0 ? `event ${since.join(", ")}` : "",
): readonly string[] => [
  ...(values.length > 0 ? [`for ${values.slice(0, VALUES_SHOWN_MAX).join(", ")}`] : []),
  ...(place === "" ? [] : [`since ${place}`]),
  ...(limit === undefined ? [] : [`the limit ${limit} is reached`]),
];

/** Maximum values in a text. */
const VALUES_SHOWN_MAX = 5;
