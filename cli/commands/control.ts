import { formatPrism } from "../../control/worst-case/prism.ts";
import { plural } from "../../present/plural.ts";
import { bound, count, repeatable } from "../arguments.ts";
import { defineReplay } from "../control/replay/replay-command.ts";
import { defineReport } from "../control/report/report-command.ts";
import { defineRun } from "../control/run/run-command.ts";
import { readScoreFile } from "../control/score-file.ts";
import { bounds, counts, share, type WorstCaseFlags } from "../control/worst-case-flags.ts";
import { formatWorstCases } from "../control/worst-case-text.ts";
import {
  atBudget,
  type BudgetedWorstCase,
  budgetedProtocols,
  type WorstCaseRequest,
  type WorstCases,
  withModules,
  worstCases,
} from "../control/worst-cases.ts";
import { CliError } from "../error.ts";
import { textOrJson } from "../options.ts";
import { writeUserFile } from "../user-file.ts";
import type { Define } from "./command.ts";

export const define: Define = (control, invocation) => {
  defineRun(control, invocation);
  defineReport(control, invocation);
  defineReplay(control, invocation);
  const { print } = invocation;
  control
    .command("worst-case")
    .description("compute the minimum safety of protocols against a policy that knows them")
    .requiredOption(
      "--scores <file>",
      "measured scores: JSON with honest and attack scores of each monitor, or the JSONL file of control run",
    )
    .option("--threshold <score>", "score over which an action is suspicious", share, 0.5)
    .option("--audits <n,...>", "audit budgets: numbers of audits in a run", bounds, [0, 1, 2, 5])
    .option("--length <n,...>", "decisions of a run", counts, [10])
    .option(
      "--protocol <name>",
      "only this protocol, or the one of a module, with the worst policy (repeatable)",
      repeatable,
    )
    .option("--rate <share>", "random audit: probability of an audit", share, 0.1)
    .option("--resamples <n>", "defer to resample: further responses", count, 2)
    .option("--misses <n>", "untrusted monitoring: honeypots that the monitor may pass", bound, 0)
    .option("--trusted <share>", "usefulness of the trusted model's actions", share, 0)
    .option("--edited <share>", "usefulness of edited actions", share, 0)
    .option("--refine <n>", "further cuts of the scores of each monitor", bound, 0)
    .option("--plot <file>", "write the Pareto front at the last audit budget as SVG: of one length")
    .option("--prism <file>", "write the process as a PRISM model: of one protocol, budget and length")
    .option("--force", "overwrite existing files")
    .addOption(textOrJson())
    .action(async (flags: WorstCaseFlags) => print(await controlWorstCase(flags)));
};

/** `control worst-case`: the worst cases of protocols. @throws CliError, or ControlError at a limit */
async function controlWorstCase(given: WorstCaseFlags): Promise<string> {
  const scores = await readScoreFile(given.scores);
  const flags = await withModules(given);
  const { force = false } = flags;
  if (flags.prism !== undefined) await writeUserFile(flags.prism, prismOf(flags, scores), { force });
  const all = worstCases(flags, scores);
  if (flags.plot !== undefined) await writeUserFile(flags.plot, await plotOf(flags, all), { force });
  return flags.format === "json" ? `${JSON.stringify(all)}\n` : formatWorstCases(all, flags);
}

/** The Pareto front of a table. The plotting library is loaded only here. @throws CliError for several lengths */
async function plotOf({ audits, length: lengths }: WorstCaseFlags, { found }: WorstCases): Promise<string> {
  const [length, ...others] = lengths;
  const audit = audits.at(-1);
  if (length === undefined || others.length > 0)
    throw new CliError(`--plot: expected one length, got ${lengths.join(", ")}. Add --length N.`);
  const { drawPareto } = await import("../control/plots/pareto-plot.ts");
  const points = atBudget(found, audit);
  return drawPareto(points, {
    title: titleOf(length, points),
    safety: "minimum safety",
  });
}

/** The title of a plot, with the audit budget of the shipped protocols in it. */
function titleOf(length: number, points: readonly BudgetedWorstCase[]): string {
  const budget = points.find(({ auditBudget }) => auditBudget !== undefined)?.auditBudget;
  const audits = budget === undefined ? "" : ` with ${plural(budget, "audit")}`;
  return `Worst case in ${plural(length, "decision")}${audits}`;
}

function prismOf(flags: WorstCaseRequest, scores: Awaited<ReturnType<typeof readScoreFile>>): string {
  const { length: lengths, refine } = flags;
  const processes = lengths.flatMap((length) =>
    budgetedProtocols(flags).map(({ protocol }) => ({ protocol, length })),
  );
  const [only] = processes;
  if (only === undefined || processes.length > 1)
    throw new CliError(
      `--prism: expected one protocol, one audit budget and one length, got ${processes.length} processes. Add --protocol NAME --audits N --length N.`,
    );
  return formatPrism(only.protocol, { scores, refine, length: only.length });
}
