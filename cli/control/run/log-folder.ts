import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import type { RunRow } from "../../../control/runs/row.ts";
import { replaceFile } from "../../../store/files/replace-file.ts";
import { syncFolders } from "../../../store/files/sync-folders.ts";
import type { EvalLog } from "../../../wire/inspect/eval-log.ts";
import { CliError, errorMessage } from "../../error.ts";
import { zipped } from "../../inspect-log.ts";
import { RunError } from "../run-error.ts";
import { keyOf, type RunKey } from "./planned-run.ts";

/** A folder with a log for Inspect of each run: a file `.eval`, which is on the disk before the row of its run. */
export class LogFolder {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Open the folder, or create it.
   *
   * @param rows the rows that there are already
   * @throws CliError if it cannot be created
   * @throws RunError `LOG_MISSING` if the folder lacks the log of a row
   */
  static async open(folder: string, rows: readonly RunRow[]): Promise<LogFolder> {
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      throw new CliError(
        `--export: the folder ${folder} cannot be made (${errorMessage(cause)}). Name another file with --out.`,
        { cause },
      );
    });
    const names = new Set(await readdir(folder));
    const missing = rows.filter((row) => !names.has(logNameOf(row)));
    if (missing[0] !== undefined)
      throw new RunError(
        "LOG_MISSING",
        `--export: expected a log in ${folder} for each row of --out, got none of ${missing.length}, such as ${logNameOf(missing[0])}. Name a new file.`,
      );
    return new LogFolder(folder);
  }

  /** Write the log of a run. Resolves when the disk has it. */
  async write(run: RunKey, log: EvalLog): Promise<void> {
    await replaceFile(path.join(this.#folder, logNameOf(run)), zipped(log));
    await syncFolders(this.#folder);
  }
}

/** The folder of the logs of a file of runs: `runs.inspect` for `runs.jsonl`. */
export const logFolderOf = (runs: string): string => `${runs.replace(/\.jsonl$/, "")}.inspect`;

/** The name of the log of a run: its words, and a digest, since two names may differ only in other characters. */
export function logNameOf(run: RunKey): string {
  const words = [run.setting, run.policy, run.protocol, `${run.sample}`];
  const name = words.map((word) => word.replaceAll(/[^\w.-]+/g, "-")).join("_");
  const digest = createHash("sha256").update(keyOf(run)).digest("hex").slice(0, 8);
  return `${name}_${digest}.eval`;
}
