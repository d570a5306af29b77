import type { Protocol } from "../../control/protocol.ts";
import { shippedProtocols } from "../../control/protocols/shipped.ts";
import { hasScoresOf, type MeasuredScores } from "../../control/worst-case/measured-scores.ts";
import { type WorstCase, worstCase } from "../../control/worst-case/worst-case.ts";
import { loadProtocol } from "./protocol-module.ts";
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

/** The flags with the protocols of the modules among the named ones, by their files. */
export interface WorstCaseRequest extends WorstCaseFlags {
  readonly modules: ReadonlyMap<string, Protocol>;
}

/** Load the modules that are named. @throws CliError for a name that is neither shipped nor a module */
export async function withModules(flags: WorstCaseFlags): Promise<WorstCaseRequest> {
  const files = (flags.protocol ?? []).filter(
    (name) => !shippedAt(flags, 0).some((each) => each.name === name),
  );
  const modules = new Map<string, Protocol>();
  for (const file of files) modules.set(file, await loadProtocol(file));
  return { ...flags, modules };
}

/** The protocols that a command names, at an audit budget. One of a module has a budget of its own. */
export function protocolsAt(request: WorstCaseRequest, auditBudget: number): readonly Protocol[] {
  const { protocol: names, modules } = request;
  const shipped = shippedAt(request, auditBudget);
  if (names === undefined) return shipped;
  return [...shipped.filter(({ name }) => names.includes(name)), ...modules.values()];
}

const shippedAt = (flags: WorstCaseFlags, auditBudget: number): readonly Protocol[] => {
  const { threshold, rate, resamples, misses: missesMax } = flags;
  return shippedProtocols({ threshold, auditBudget, rate, resamples, missesMax });
};

/** Compute the worst case of each protocol, for each length and each audit budget. */
export function worstCases(flags: WorstCaseRequest, scores: MeasuredScores): WorstCases {
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
