import { paretoFront } from "../../control/worst-case/pareto.ts";
import type { WorstCase } from "../../control/worst-case/worst-case.ts";
import { plural } from "../../present/plural.ts";
import { formatTable } from "../verify/table.ts";
import { labelOf } from "./plots/label.ts";
import type { WorstCaseFlags } from "./worst-case-flags.ts";
import { atBudget, type BudgetedWorstCase, type WorstCases } from "./worst-cases.ts";

/** Maximum situations of a strategy that are printed. */
const SITUATIONS_MAX = 12;

/** Format the worst cases: tables of each length, the classes, and the strategies of the protocols that were named. */
export function formatWorstCases({ found, unmeasured }: WorstCases, flags: WorstCaseFlags): string {
  const parts = [
    ...flags.length.flatMap((length) =>
      formatLength(
        length,
        found.filter((each) => each.length === length),
        flags,
      ),
    ),
    ...(found.length === 0 ? [] : notesOf(found)),
    ...(unmeasured.length === 0
      ? []
      : [`Left out, as a monitor has no scores: ${unmeasured.map(labelOf).join(", ")}.`]),
    ...(flags.protocol === undefined ? [] : found.map(formatStrategy)),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The sentences about the classes of scores and the Pareto front. */
function notesOf(found: WorstCases["found"]): readonly string[] {
  const classes = [...new Set(found.flatMap((each) => each.classes))];
  const bound = Math.max(0, ...found.map((each) => each.bound));
  const number = plural(classes.length, "class of scores", "classes of scores");
  return [
    classes.length === 0
      ? "No protocol here has a monitor: no score decides."
      : `${number}: ${classes.map(labelOf).join("; ")}.`,
    bound === 0
      ? `The minimum safety is exact${classes.length === 0 ? "" : " for these classes"}.`
      : `More classes (--refine) raise a minimum safety by at most ${formatShare(bound)}.`,
    "*: on the Pareto front of safety and usefulness, at the last audit budget. Usefulness and audits describe an honest run.",
  ];
}

/** The tables of a length: the shipped protocols by audit budget, and the protocols of modules. */
function formatLength(
  length: number,
  found: readonly BudgetedWorstCase[],
  { audits, threshold }: WorstCaseFlags,
): readonly string[] {
  const last = atBudget(found, audits.at(-1));
  const front = new Set(paretoFront(last));
  const rowOf = (each: BudgetedWorstCase, safeties: readonly string[]): string[] => [
    `${labelOf(each.protocol)}${front.has(each) ? " *" : ""}`,
    ...safeties,
    formatShare(each.usefulness),
    each.audits.toFixed(2),
  ];
  const tableOf = (
    title: string,
    safeties: readonly string[],
    rows: readonly string[][],
  ): readonly string[] =>
    rows.length === 0
      ? []
      : [`${title}:\n\n${formatTable(["protocol", ...safeties, "usefulness", "audits"], rows)}`];
  const isOwn = ({ auditBudget }: BudgetedWorstCase): boolean => auditBudget === undefined;
  const title = `Minimum safety in ${plural(length, "decision")}`;
  return [
    ...tableOf(
      `${title} by audit budget, at the threshold ${threshold}`,
      audits.map((budget) => `budget ${budget}`),
      last
        .filter((each) => !isOwn(each))
        .map((each) =>
          rowOf(
            each,
            audits.map((budget) => safetyIn(found, each.protocol, budget)),
          ),
        ),
    ),
    ...tableOf(
      `${title} of protocols of modules, which have their own thresholds and budgets: --threshold and --audits do not apply`,
      ["safety"],
      last.filter(isOwn).map((each) => rowOf(each, [formatShare(each.safety)])),
    ),
  ];
}

const safetyIn = (found: readonly BudgetedWorstCase[], protocol: string, budget: number): string =>
  found
    .filter((each) => each.protocol === protocol && each.auditBudget === budget)
    .map(({ safety }) => formatShare(safety))
    .join("");

const formatShare = (share: number): string => share.toFixed(4);

/** The strategy of the worst policy: in each situation, its actions by ranges of decisions. */
function formatStrategy({ protocol, auditBudget, length, strategy }: BudgetedWorstCase): string {
  const audits = auditBudget === undefined ? [] : [plural(auditBudget, "audit")];
  const situations = [...new Set(strategy.map(({ situation }) => situation))];
  const lines = situations.slice(0, SITUATIONS_MAX).map((situation) => {
    const moves = strategy.filter((move) => move.situation === situation);
    return `  ${labelOf(situation)}: ${formatMoves(moves)}`;
  });
  const more = situations.length - lines.length;
  return [
    `Worst policy against ${[labelOf(protocol), ...audits, plural(length, "decision")].join(", ")}:`,
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
