import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROVIDERS } from "../../adapters/models/provider.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { recordFrom } from "../arguments.ts";
import { suiteIn } from "../control/report/suite-file.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";
import { addServeOptions, type ServeFlags, serve } from "./serve.ts";

interface InspectFlags extends ServeFlags {
  /** The record that the page opens at. Default: the last, following the task. */
  readonly at?: number;
}

export const define: Define = (command, { io, end }) => {
  command
    .argument("[id]", "task id or a prefix of it, a journal file, or runs of control run (.jsonl)")
    .option(
      "--at <seq>",
      "record at which the page opens (default: the last)",
      recordFrom(0, "signalbox show ID --seq shows the numbers"),
    );
  addServeOptions(command, 0).action(async (id: string | undefined, flags: InspectFlags) =>
    end(await inspect(id, flags, io)),
  );
};

/**
 * Open the visual debugger on the tasks of a data directory, at the task `given`, on a copy of the journal file (`.jsonl`) that
 * `given` names, or at the measures of its runs of `control run`. Viewing needs no API key: without one, tasks that are resumed from the page use the mock model.
 *
 * @throws CliError for an unknown task, and as {@link serve} does
 */
async function inspect(given: string | undefined, { at, ...flags }: InspectFlags, io: Io): Promise<number> {
  const { provider = "anthropic", apiKey } = flags;
  const { keyVariables = [], urlVariable = "", publicApi } = provider === "mock" ? {} : PROVIDERS[provider];
  const hasKey = Boolean(apiKey) || keyVariables.some((name) => io.env[name]);
  const served: ServeFlags = hasKey ? flags : { ...flags, provider: "mock" };
  const record = at === undefined ? {} : { at };
  if (given?.endsWith(".jsonl") === true) {
    const suite = await withCliErrors(() => suiteIn(given));
    if (suite !== undefined) return serve(served, io, { suite });
    return withCopy(given, (dataDir, task) => {
      // A journal from elsewhere does not decide which endpoint gets a provider's key.
      const baseUrl = flags.baseUrl || io.env[urlVariable] || publicApi;
      const endpoint = baseUrl === undefined ? {} : { baseUrl };
      return serve({ provider, ...served, ...endpoint, dataDir }, io, { task, ...record });
    });
  }
  const history = openHistory({ dataDir: flags.dataDir });
  if (given !== undefined) {
    const task = await withCliErrors(() => history.find(given));
    return serve(served, io, { task, ...record });
  }
  if (at !== undefined)
    throw new CliError("--at was given without a task. Expected a task id or a journal file before it.");
  return serve(served, io);
}

/** Work on a temporary copy of a journal, so that the file is not changed. */
async function withCopy(
  file: string,
  work: (dataDir: string, taskId: string) => Promise<number>,
): Promise<number> {
  const taskId = await withCliErrors(() => taskIdIn(file));
  const dataDir = await mkdtemp(path.join(tmpdir(), "signalbox-inspect-"));
  try {
    const folder = await withCliErrors(async () => taskFolder(dataDir, taskId));
    await mkdir(folder, { recursive: true });
    await copyFile(file, path.join(folder, "journal.jsonl"));
    return await work(dataDir, taskId);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function taskIdIn(file: string): Promise<string> {
  const driver = fileJournal({ dir: path.dirname(file), file: path.basename(file) });
  for await (const record of readJournal(driver, { onTail: () => {} }))
    if (record.kind === "header") return record.taskId;
  throw new CliError(
    `${file} is not a task journal, or doesn't exist. Expected a journal file or a task id.`,
  );
}
