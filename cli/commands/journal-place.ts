import path from "node:path";
import { JournalError } from "../../actors/index.ts";
import { ExchangeError } from "../../wire/index.ts";
import { CliError } from "../error.ts";

const TASK_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** The folder of a task's journal. @throws CliError where `id` can't name a folder */
export function journalFolder(dataDir: string, id: string): string {
  if (TASK_ID.test(id)) return path.resolve(dataDir, "tasks", id);
  throw new CliError(
    `the id ${JSON.stringify(id)} can't be used: expected 1 to 128 letters, digits, ".", "_" and "-", not beginning with ".". Choose another one.`,
  );
}

/** What an exchange or a journal refuses, as what the command can't do. */
export function asCliError(error: unknown): unknown {
  return error instanceof ExchangeError || error instanceof JournalError
    ? new CliError(error.message, { cause: error })
    : error;
}
