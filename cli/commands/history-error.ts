import { JournalError, TaskHistoryError } from "../../store/index.ts";
import { ExchangeError } from "../../wire/index.ts";
import { CliError } from "../error.ts";

/** What the tasks on disk refuse, as what the command can't do. */
export async function withCliErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof TaskHistoryError || error instanceof JournalError || error instanceof ExchangeError;
    throw isExpected ? new CliError(error.message, { cause: error }) : error;
  }
}
