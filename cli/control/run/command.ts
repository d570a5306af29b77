import { SandboxError } from "../../../adapters/sandbox/error.ts";
import { CliError, EXIT } from "../../error.ts";
import type { Io } from "../../io.ts";
import { Exit, endOnSignal } from "../../run/exit.ts";
import { RunError } from "../run-error.ts";
import { plannedRuns } from "./planned-run.ts";
import { RowFile } from "./row-file.ts";
import { type ControlRunFlags, suiteOf } from "./run-flags.ts";
import { formatMetrics, protocolMetrics } from "./run-table.ts";
import { runSuite } from "./suite.ts";

/**
 * `control run`: run the suite, print the metrics, and return the exit code. A signal ends it; called again with the same
 * file, it goes on.
 *
 * @throws CliError for an unknown name, and with the code of a {@link RunError} or {@link SandboxError}
 */
export async function controlRun(flags: ControlRunFlags, io: Io): Promise<number> {
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
    const metrics = protocolMetrics(rows, flags);
    return flags.format === "json" ? `${JSON.stringify(metrics)}\n` : formatMetrics(metrics, flags);
  } finally {
    if (isTerminal) io.stderr.write("\r\x1b[K");
    await file?.close();
  }
}
