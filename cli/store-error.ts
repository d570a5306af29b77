import { JournalError } from "../store/journal/error.ts";
import { LedgerError } from "../store/ledger/error.ts";
import { ObjectError } from "../store/objects/error.ts";
import { PostgresError } from "../store/postgres/error.ts";
import { TaskHistoryError } from "../store/task-history/error.ts";
import { ExchangeError } from "../wire/roo/error.ts";
import { CliError, errorMessage } from "./error.ts";

/** Convert expected errors of the data on disk to errors of the command. */
export async function withCliErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected = [
      TaskHistoryError,
      JournalError,
      LedgerError,
      ObjectError,
      PostgresError,
      ExchangeError,
    ].some((kind) => error instanceof kind);
    throw isExpected ? new CliError(errorMessage(error), { cause: error }) : error;
  }
}
