import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROVIDERS } from "../adapters/models/provider.ts";
import { fileJournal } from "../store/journal/file.ts";
import { readJournal } from "../store/journal/reader.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import type { ServeFlags } from "./commands/serve.ts";
import { CliError } from "./error.ts";
import type { Io } from "./io.ts";
import { withCliErrors } from "./store-error.ts";

// Serving tasks in order to look at them.

/**
 * The flags of a server for viewing. It needs no API key: without one, tasks that are resumed from the page use the mock
 * model. `foreign`: the flags for a journal or a session from elsewhere, which does not decide which endpoint gets a
 * provider's key.
 */
export function viewingFlags(
  flags: ServeFlags,
  { env }: Pick<Io, "env">,
): { readonly own: ServeFlags; readonly foreign: ServeFlags } {
  const { provider = "anthropic", apiKey } = flags;
  const { keyVariables = [], urlVariable = "", publicApi } = provider === "mock" ? {} : PROVIDERS[provider];
  const hasKey = Boolean(apiKey) || keyVariables.some((name) => env[name]);
  const own: ServeFlags = hasKey ? flags : { ...flags, provider: "mock" };
  const baseUrl = flags.baseUrl || env[urlVariable] || publicApi;
  return { own, foreign: { provider, ...own, ...(baseUrl !== undefined && { baseUrl }) } };
}

/** Work with a temporary data directory, so that no given file is changed. */
export async function withDataDir(work: (dataDir: string) => Promise<number>): Promise<number> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "signalbox-inspect-"));
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Copy a journal into a data directory. Returns its task's id. */
export async function copyJournal(file: string, dataDir: string): Promise<string> {
  const taskId = await withCliErrors(() => taskIdIn(file));
  const folder = await withCliErrors(async () => taskFolder(dataDir, taskId));
  await mkdir(folder, { recursive: true });
  await copyFile(file, path.join(folder, "journal.jsonl"));
  return taskId;
}

async function taskIdIn(file: string): Promise<string> {
  const driver = fileJournal({ dir: path.dirname(file), file: path.basename(file) });
  for await (const record of readJournal(driver, { onTail: () => {} }))
    if (record.kind === "header") return record.taskId;
  throw new CliError(
    `${file} is not a task journal, or doesn't exist. Expected a journal file or a task id.`,
  );
}
