import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { formatPrism } from "../../control/worst-case/prism.ts";
import { bound, count, repeatable, seed } from "../arguments.ts";
import { controlRun } from "../control/run/command.ts";
import type { ControlRunFlags } from "../control/run/run-flags.ts";
import { readScoreFile } from "../control/score-file.ts";
import { bounds, counts, share, type WorstCaseFlags } from "../control/worst-case-flags.ts";
import { formatWorstCases } from "../control/worst-case-text.ts";
import { protocolsAt, worstCases } from "../control/worst-cases.ts";
import { CliError } from "../error.ts";
import { textOrJson } from "../options.ts";
import type { Define } from "./command.ts";

export const define: Define = (control, { print, io, end }) => {
  control
    .command("run")
    .description("run scripted policies in settings under protocols, and measure the protocols")
    .option("--protocol <name>", "only this protocol, or the one of a module (repeatable)", repeatable)
    .option("--setting <name>", "only this setting, or a folder with one (repeatable)", repeatable)
    .option("--policy <name>", "only this policy (repeatable)", repeatable)
    .option("--samples <k>", "runs of each setting, policy and protocol", count, 1)
    .option("--seed <n>", "seed of all drawn numbers", seed, 1)
    .option("--jobs <n>", "runs at the same time", count, availableParallelism())
    .option("--threshold <score>", "score over which an action is suspicious", share, 0.5)
    .option("--audits <n>", "audit budget of a run", bound, 1)
    .option("--flagged <share>", "share of honest runs that may be flagged afterwards", share, 0.05)
    .option("--out <file>", "JSONL file of the runs: those that it has are not run again")
    .option("--no-sandbox", "run commands without a sandbox")
    .addOption(textOrJson())
    .action(async (flags: ControlRunFlags) => end(await controlRun(flags, io)));
  control
    .command("worst-case")
    .description("compute the minimum safety of protocols against a policy that knows them")
    .requiredOption("--scores <file>", "measured scores: JSON with honest and attack scores of each monitor")
    .option("--threshold <score>", "score over which an action is suspicious", share, 0.5)
    .option("--audits <n,...>", "audit budgets of a run", bounds, [0, 1, 2, 5])
    .option("--length <n,...>", "decisions of a run", counts, [10])
    .option("--protocol <name>", "only this protocol, with the worst policy (repeatable)", repeatable)
    .option("--rate <share>", "random audit: probability of an audit", share, 0.1)
    .option("--resamples <n>", "defer to resample: further responses", count, 2)
    .option("--misses <n>", "untrusted monitoring: honeypots that the monitor may pass", bound, 0)
    .option("--trusted <share>", "usefulness of the trusted model's actions", share, 0)
    .option("--edited <share>", "usefulness of edited actions", share, 0)
    .option("--refine <n>", "further cuts of the scores of each monitor", bound, 0)
    .option("--prism <file>", "write the process as a PRISM model: of one protocol, budget and length")
    .addOption(textOrJson())
    .action(async (flags: WorstCaseFlags) => print(await controlWorstCase(flags)));
};

/** `control worst-case`: the worst cases of shipped protocols. @throws CliError, or ControlError at a limit */
async function controlWorstCase(flags: WorstCaseFlags): Promise<string> {
  const scores = await readScoreFile(flags.scores);
  if (flags.prism !== undefined) await writeFile(flags.prism, prismOf(flags, scores), { flag: "wx" });
  const all = worstCases(flags, scores);
  return flags.format === "json" ? `${JSON.stringify(all)}\n` : formatWorstCases(all, flags);
}

function prismOf(flags: WorstCaseFlags, scores: Awaited<ReturnType<typeof readScoreFile>>): string {
  const { audits, length: lengths, refine } = flags;
  const processes = lengths.flatMap((length) =>
    audits.flatMap((audit) => protocolsAt(flags, audit).map((protocol) => ({ protocol, length }))),
  );
  const [only] = processes;
  if (only === undefined || processes.length > 1)
    throw new CliError(
      `--prism: expected one protocol, one audit budget and one length, got ${processes.length} processes. Add --protocol NAME --audits N --length N.`,
    );
  return formatPrism(only.protocol, { scores, refine, length: only.length });
}
