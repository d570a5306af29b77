import { Command } from "commander";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { Verification } from "../../wire/http/verification.ts";
import { addServeOptions, type ServeFlags, serve } from "../commands/serve.ts";
import type { Io } from "../io.ts";
import { copyJournal, viewingFlags, withDataDir } from "../viewed-data.ts";
import { FolderCounter } from "./folder-counter.ts";
import { isFolder } from "./recorded-counts.ts";
import { countsOn } from "./report-page.ts";

export interface ServedReport {
  readonly verification: Verification;
  readonly machine: typeof taskMachine;
  /**
   * The data folder whose tasks are served and counted, or a journal, which is copied first. Default: the usual folder.
   */
  readonly counts: string | undefined;
}

/**
 * Serve a verification, opened in the debugger, and the tasks whose transitions it counts, until a signal.
 * @throws CliError as {@link serve} does
 */
export async function serveReport({ verification, machine, counts }: ServedReport, io: Io): Promise<number> {
  const flags = addServeOptions(new Command(), 0).opts<ServeFlags>();
  const { own, foreign } = viewingFlags(flags, io);
  const targetIn = (dataDir: string) => {
    const counter = new FolderCounter(dataDir, machine);
    const count = async (changed?: readonly string[]) => countsOn(verification, await counter.count(changed));
    return { verification: { result: verification, count } };
  };
  if (counts !== undefined && !(await isFolder(counts)))
    return withDataDir(async (dataDir) => {
      await copyJournal(counts, dataDir);
      return serve({ ...foreign, dataDir }, io, targetIn(dataDir));
    });
  const dataDir = counts ?? own.dataDir;
  return serve({ ...own, dataDir }, io, targetIn(dataDir));
}
