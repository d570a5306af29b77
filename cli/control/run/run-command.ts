import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { SandboxError } from "../../../adapters/sandbox/error.ts";
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
import { plannedRuns } from "./planned-run.ts";
import { RowFile } from "./row-file.ts";
import { type ControlRunFlags, suiteOf } from "./run-flags.ts";
import { runSuite } from "./suite.ts";

/** Add the command `control run`. */
export function defineRun(control: Command, { io, end }: Pick<Invocation, "io" | "end">): void {
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
  const planned = plannedRuns(await suiteOf(flags));
  const file = flags.out === undefined ? undefined : await RowFile.open(flags.out);
  const isTerminal = io.stderr.isTTY === true;
  try {
    const rows = await runSuite(planned, {
      jobs: flags.jobs,
      isSandboxed: flags.sandbox,
      signal,
      ...(file !== undefined && { file }),
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
