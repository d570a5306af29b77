import type { Protocol } from "../../control/protocol.ts";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { hasScoresOf, type MeasuredScores } from "../../control/worst-case/measured-scores.ts";
import { type WorstCase, worstCase } from "../../control/worst-case/worst-case.ts";
import { CliError } from "../error.ts";
import type { WorstCaseFlags } from "./worst-case-flags.ts";

/** The worst case of a protocol at an audit budget. */
export interface BudgetedWorstCase extends WorstCase {
  readonly auditBudget: number;
}

/** The worst cases that a command asks for, and the protocols that it leaves out. */
export interface WorstCases {
  readonly found: readonly BudgetedWorstCase[];
  /** The names of protocols with a monitor that has no scores. */
  readonly unmeasured: readonly string[];
}

/** The protocols that a command names, at an audit budget. @throws CliError for an unknown name */
export function protocolsAt(flags: WorstCaseFlags, auditBudget: number): readonly Protocol[] {
  const { threshold, rate, resamples, misses: missesMax, protocol: names } = flags;
  const shipped = shippedProtocols({ threshold, auditBudget, rate, resamples, missesMax });
  const unknown = names?.find((name) => !shipped.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new CliError(
      `--protocol: expected one of ${shipped.map(({ name }) => `"${name}"`).join(", ")}, got "${unknown}".`,
    );
  return shipped.filter(({ name }) => names === undefined || names.includes(name));
}

/** Compute the worst case of each protocol, for each length and each audit budget. */
export function worstCases(flags: WorstCaseFlags, scores: MeasuredScores): WorstCases {
  const { trusted, edited, refine } = flags;
  const usefulness = { untrusted: 1, trusted, edited };
  const all = flags.audits.map((auditBudget) => ({
    auditBudget,
    protocols: protocolsAt(flags, auditBudget),
  }));
  const found = flags.length.flatMap((length) =>
    all.flatMap(({ auditBudget, protocols }) =>
      protocols
        .filter(({ monitors }) => hasScoresOf(monitors, scores))
        .map((each) => ({ auditBudget, ...worstCase(each, { scores, length, refine, usefulness }) })),
    ),
  );
  const unmeasured = (all[0]?.protocols ?? []).filter(({ monitors }) => !hasScoresOf(monitors, scores));
  return { found, unmeasured: unmeasured.map(({ name }) => name) };
}
