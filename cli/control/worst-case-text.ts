import { paretoFront } from "../../control/worst-case/pareto.ts";
import type { WorstCase } from "../../control/worst-case/worst-case.ts";
import { formatTable } from "../verify/report.ts";
import type { WorstCaseFlags } from "./worst-case-flags.ts";
import type { BudgetedWorstCase, WorstCases } from "./worst-cases.ts";

/** Maximum situations of a strategy that are printed. */
const SITUATIONS_MAX = 12;

/** Format the worst cases: a table of each length, the classes, and the strategies of the protocols that were named. */
export function formatWorstCases({ found, unmeasured }: WorstCases, flags: WorstCaseFlags): string {
  const classes = [...new Set(found.flatMap((each) => each.classes))];
  const bound = Math.max(0, ...found.map((each) => each.bound));
  const parts = [
    ...flags.length.map((length) =>
      formatLength(
        length,
        found.filter((each) => each.length === length),
        flags,
      ),
    ),
    `${classes.length} classes of scores: ${classes.join("; ")}.`,
    bound === 0
      ? "The minimum safety is exact for these classes."
      : `More classes (--refine) raise a minimum safety by at most ${formatShare(bound)}.`,
    "*: on the Pareto front of safety and usefulness, at the last audit budget. Usefulness and audits describe an honest run.",
    ...(unmeasured.length === 0 ? [] : [`Left out, as a monitor has no scores: ${unmeasured.join(", ")}.`]),
    ...(flags.protocol === undefined ? [] : found.map(formatStrategy)),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatLength(
  length: number,
  found: readonly BudgetedWorstCase[],
  { audits, threshold }: WorstCaseFlags,
): string {
  const last = found.filter(({ auditBudget }) => auditBudget === audits.at(-1));
  const front = new Set(paretoFront(last));
  const rows = last.map((row) => [
    `${row.protocol}${front.has(row) ? " *" : ""}`,
    ...audits.map((budget) => safetyIn(found, row.protocol, budget)),
    formatShare(row.usefulness),
    row.audits.toFixed(2),
  ]);
  const heads = ["protocol", ...audits.map((budget) => `budget ${budget}`), "usefulness", "audits"];
  const title = `Minimum safety in ${length} decisions by audit budget, at the threshold ${threshold}:`;
  return `${title}\n\n${formatTable(heads, rows)}`;
}

const safetyIn = (found: readonly BudgetedWorstCase[], protocol: string, budget: number): string =>
  found
    .filter((each) => each.protocol === protocol && each.auditBudget === budget)
    .map(({ safety }) => formatShare(safety))
    .join("");

const formatShare = (share: number): string => share.toFixed(4);

/** The strategy of the worst policy: in each situation, its actions by ranges of decisions. */
function formatStrategy({ protocol, auditBudget, length, strategy }: BudgetedWorstCase): string {
  const situations = [...new Set(strategy.map(({ situation }) => situation))];
  const lines = situations.slice(0, SITUATIONS_MAX).map((situation) => {
    const moves = strategy.filter((move) => move.situation === situation);
    return `  ${situation}: ${formatMoves(moves)}`;
  });
  const more = situations.length - lines.length;
  return [
    `Worst policy against ${protocol}, ${auditBudget} audits, ${length} decisions:`,
    ...lines,
    ...(more > 0 ? [`  ${more} more situations: --format json has all.`] : []),
  ].join("\n");
}

function formatMoves(moves: WorstCase["strategy"]): string {
  const starts = moves.filter(({ action }, index) => action !== moves[index - 1]?.action);
  return starts
    .map((first, index) => {
      const next = starts[index + 1];
      const last = next === undefined ? moves.at(-1) : moves[moves.indexOf(next) - 1];
      const range =
        last === undefined || last === first ? first.decision : `${first.decision} to ${last.decision}`;
      return `${first.action} in ${range}`;
    })
    .join(", ");
}
