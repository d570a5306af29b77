import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { SandboxError } from "../../../adapters/sandbox/error.ts";
import type { RunRow } from "../../../control/runs/row.ts";
import { bound, count, repeatable, seed } from "../../arguments.ts";
import type { Invocation } from "../../commands/command.ts";
import { CliError, EXIT } from "../../error.ts";
import type { Io } from "../../io.ts";
import { textOrJson } from "../../options.ts";
import { Exit, endOnSignal } from "../../run/exit.ts";
import { createReport, withoutRuns } from "../report/report.ts";
import { formatReport } from "../report/report-table.ts";
import { RunError } from "../run-error.ts";
import { share } from "../worst-case-flags.ts";
import { LogFolder, logFolderOf } from "./log-folder.ts";
import { keyOf, keyOfPlanned, plannedGroups, type RunGroup, runsOf } from "./planned-run.ts";
import { RowFile } from "./row-file.ts";
import { type ControlRunFlags, suiteOf } from "./run-flags.ts";
import { runSuite } from "./suite.ts";

/** Add the command `control run`. */
export function defineRun(control: Command, { io, end }: Pick<Invocation, "io" | "end">): void {
  control
    .command("run")
    .description("run policies in settings under protocols, and measure the protocols")
    .option("--protocol <name>", "only this protocol, or the one of a module (repeatable)", repeatable)
    .option("--setting <name>", "only this setting, or a folder with one (repeatable)", repeatable)
    .option("--policy <name>", "only this scripted policy (repeatable)", repeatable)
    .option(
      "--model <name>",
      "this model as a policy, honest and as an attacker, in place of scripts (repeatable)",
      repeatable,
    )
    .option("--monitor <name>", "model that gives all scores, in place of a script")
    .option("--trusted <name>", "model that writes the trusted actions, in place of a script")
    .option("--samples <k>", "runs of each setting, policy and protocol", count, 1)
    .option("--prefix <n>", "first requests that these runs share, made once", count)
    .option("--seed <n>", "seed of all drawn numbers", seed, 1)
    .option("--jobs <n>", "runs at the same time", count, availableParallelism())
    .option("--threshold <score>", "score over which an action is suspicious", share, 0.5)
    .option("--audits <n>", "audit budget: number of audits in a run", bound, 1)
    .option(
      "--flagged <share>",
      "flagged share: the threshold is the (1 - share) percentile of honest scores",
      share,
      0.05,
    )
    .option("--out <file>", "JSONL file of the runs: those that it has are not run again")
    .addOption(
      new Option(
        "--export <format>",
        "also write a log of each run, to a folder named like the file of --out",
      ).choices(["inspect"]),
    )
    .option("--no-sandbox", "run commands without a sandbox")
    .addOption(textOrJson())
    .action(async (flags: ControlRunFlags) => end(await controlRun(flags, io)));
}

/**
 * `control run`: run the suite, print the metrics, and return the exit code. A signal ends it; called again with the same
 * file, it goes on.
 *
 * @throws CliError for an unknown name, and with the code of a {@link RunError} or {@link SandboxError}
 */
async function controlRun(flags: ControlRunFlags, io: Io): Promise<number> {
  const exit = new Exit();
  const signals = endOnSignal(io, exit);
  const stop = new AbortController();
  void exit.code.then(() => stop.abort());
  try {
    io.stdout.write(await runFlags(flags, io, stop.signal));
    return EXIT.done;
  } catch (cause) {
    if (stop.signal.aborted) return await exit.code;
    if (cause instanceof RunError) throw new CliError(`${cause.code}: ${cause.message}`, { cause });
    if (cause instanceof SandboxError)
      throw new CliError(`${cause.code}: ${cause.message} The option is --no-sandbox.`, { cause });
    throw cause;
  } finally {
    signals.unlisten();
  }
}

async function runFlags(flags: ControlRunFlags, io: Io, signal: AbortSignal): Promise<string> {
  const groups = plannedGroups(await suiteOf(flags));
  const logFolder = flags.export === undefined ? undefined : exportFolderOf(flags.out);
  const file = flags.out === undefined ? undefined : await RowFile.open(flags.out);
  const isTerminal = io.stderr.isTTY === true;
  try {
    const logs = logFolder === undefined ? undefined : await LogFolder.open(logFolder, rowsOf(groups, file));
    const rows = await runSuite(groups, {
      jobs: flags.jobs,
      isSandboxed: flags.sandbox,
      signal,
      ...(file !== undefined && { file }),
      ...(logs !== undefined && { logs }),
      onProgress: (done, total) => {
        if (isTerminal) io.stderr.write(`\r${done} of ${total} runs`);
      },
    });
    const audits = [flags.flagged];
    const report = createReport({ rows }, { audits, seed: flags.seed });
    const json = { type: "report", ...withoutRuns(report) };
    return `${flags.format === "json" ? JSON.stringify(json) : formatReport(report, audits)}\n`;
  } finally {
    if (isTerminal) io.stderr.write("\r\x1b[K");
    await file?.close();
  }
}

/** The rows of groups that a file has. */
function rowsOf(groups: readonly RunGroup[], file: RowFile | undefined): readonly RunRow[] {
  const keys = new Set(groups.flatMap(runsOf).map(keyOfPlanned));
  return (file?.rows ?? []).filter((row) => keys.has(keyOf(row)));
}

/** The folder of the logs. @throws CliError without a file */
function exportFolderOf(out: string | undefined): string {
  if (out !== undefined) return logFolderOf(out);
  throw new CliError(
    "--export: expected --out as well, got no file. Name one: the logs are written beside it.",
  );
}
