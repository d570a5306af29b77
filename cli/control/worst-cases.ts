import type { Protocol } from "../../control/protocol.ts";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { hasScoresOf, type MeasuredScores } from "../../control/worst-case/measured-scores.ts";
import { type WorstCase, worstCase } from "../../control/worst-case/worst-case.ts";
import { assertDistinctNames } from "./distinct-names.ts";
import { loadProtocol, withLabel } from "./protocol-module.ts";
import type { WorstCaseFlags } from "./worst-case-flags.ts";

/** The worst case of a protocol, at the audit budget of a shipped one. */
export interface BudgetedWorstCase extends WorstCase {
  /** Absent: a protocol of a module, which has a threshold and a budget of its own. */
  readonly auditBudget?: number;
}

/** The worst cases that a command asks for, and the protocols that it leaves out. */
export interface WorstCases {
  readonly found: readonly BudgetedWorstCase[];
  /** The names of protocols with a monitor that has no scores. */
  readonly unmeasured: readonly string[];
}

/** The flags with the protocols of the modules among the named ones. */
export interface WorstCaseRequest extends WorstCaseFlags {
  readonly modules: readonly Protocol[];
}

/**
 * Load the modules that are named.
 *
 * @throws CliError for a name that is neither shipped nor a module, and for two protocols of one name
 */
export async function withModules(flags: WorstCaseFlags): Promise<WorstCaseRequest> {
  const names = [...new Set(flags.protocol)];
  const shipped = shippedAt(flags, 0).filter(({ name }) => names.includes(name));
  const files = names.filter((file) => !shipped.some(({ name }) => name === file));
  const modules = await Promise.all(files.map(async (file) => withLabel(await loadProtocol(file))));
  assertDistinctNames([...shipped, ...modules]);
  return { ...flags, modules };
}

/** A protocol that a command names, at the audit budget of a shipped one. */
export interface BudgetedProtocol {
  readonly protocol: Protocol;
  /** Absent: a protocol of a module. */
  readonly auditBudget?: number;
}

/** The protocols that a command names: a shipped one at each audit budget, and one of a module once. */
export function budgetedProtocols(request: WorstCaseRequest): readonly BudgetedProtocol[] {
  const { protocol: names, modules, audits } = request;
  const shipped = audits.flatMap((auditBudget) =>
    shippedAt(request, auditBudget)
      .filter(({ name }) => names?.includes(name) ?? true)
      .map((protocol) => ({ protocol, auditBudget })),
  );
  return [...shipped, ...modules.map((protocol) => ({ protocol }))];
}

/** The worst cases at an audit budget. Protocols of modules, which have their own, are always among them. */
export const atBudget = (
  found: readonly BudgetedWorstCase[],
  budget: number | undefined,
): readonly BudgetedWorstCase[] =>
  found.filter(({ auditBudget }) => auditBudget === undefined || auditBudget === budget);

const shippedAt = (flags: WorstCaseFlags, auditBudget: number): readonly Protocol[] => {
  const { threshold, rate, resamples, misses: missesMax } = flags;
  return shippedProtocols({ threshold, auditBudget, rate, resamples, missesMax });
};

/** Compute the worst case of each protocol, for each length and each audit budget. */
export function worstCases(flags: WorstCaseRequest, scores: MeasuredScores): WorstCases {
  const { trusted, edited, refine } = flags;
  const usefulness = { untrusted: 1, trusted, edited };
  const isMeasured = ({ protocol }: BudgetedProtocol): boolean => hasScoresOf(protocol.monitors, scores);
  const all = budgetedProtocols(flags);
  const found = flags.length.flatMap((length) =>
    all.filter(isMeasured).map(({ protocol, ...at }) => ({
      ...at,
      ...worstCase(protocol, { scores, length, refine, usefulness }),
    })),
  );
  const unmeasured = all.filter((each) => !isMeasured(each)).map(({ protocol }) => protocol.name);
  return { found, unmeasured: [...new Set(unmeasured)] };
}
